#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "parallel_pool/core/platform/processors.h"

namespace parallel_pool::platform {
namespace {

constexpr size_t kMostProcessors = 1 << 16;  // Linux has at most 8192

}  // namespace

std::vector<int> UsableProcessors() {
  // The system refuses a set that is smaller than its own, so larger ones are tried.
  for (size_t sets = 1; sets <= kMostProcessors / CPU_SETSIZE; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<int> processors;
    for (size_t i = 0; i < sets * CPU_SETSIZE; ++i) {
      if (CPU_ISSET_S(i, bytes, mask.data())) processors.push_back(static_cast<int>(i));
    }
    return processors;
  }
  return {};
}

Thread ThisThread() {
  return pthread_self();
}

void Pin(Thread thread, const std::vector<int>& processors) {
  if (processors.empty()) return;
  const int last = *std::max_element(processors.begin(), processors.end());
  std::vector<cpu_set_t> mask(last / CPU_SETSIZE + 1);
  const size_t bytes = mask.size() * sizeof(cpu_set_t);
  for (const int processor : processors) CPU_SET_S(processor, bytes, mask.data());
  pthread_setaffinity_np(thread, bytes, mask.data());
}

}  // namespace parallel_pool::platform
