#include "parallel_pool/core/plugin.h"

// A family that was built for an earlier engine.
extern "C" __attribute__((visibility("default"))) const parallel_pool::Family*
parallel_pool_family() {
  static const parallel_pool::Family family{0, {}, nullptr};
  return &family;
}
