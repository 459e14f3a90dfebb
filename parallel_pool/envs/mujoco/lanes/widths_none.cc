#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco::lanes {

std::span<const Width> Widths() {
  return {};
}

}  // namespace parallel_pool::mujoco::lanes
