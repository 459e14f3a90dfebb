#include <pthread.h>

#include <numeric>

#include "parallel_pool/core/platform/processors.h"

namespace parallel_pool::platform {

std::vector<int> UsableProcessors() {
  std::vector<int> processors(std::thread::hardware_concurrency());  // 0 if it is not known
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

Thread ThisThread() {
  return pthread_self();
}

void Pin(Thread, const std::vector<int>&) {}

}  // namespace parallel_pool::platform
