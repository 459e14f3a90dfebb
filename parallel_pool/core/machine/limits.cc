#include "parallel_pool/core/machine/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "parallel_pool/core/machine/cgroup.h"
#include "parallel_pool/core/machine/topology.h"

namespace parallel_pool {
namespace {

// The bytes that RLIMIT_AS (`ulimit -v`) leaves to this process.
int64_t UsableAddressSpace() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<int64_t>::max();
  }
  int64_t used_pages = 0;
  std::ifstream("/proc/self/statm") >> used_pages;
  return std::max<int64_t>(0, limit.rlim_cur - used_pages * sysconf(_SC_PAGESIZE));
}

}  // namespace

int UsableProcessors() {
  return static_cast<int>(MachineTopology().cpus.size());
}

int UsableThreads() {
  return DefaultThreads(MachineTopology());
}

int64_t UsableMemory() {
  const int64_t bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return std::min({bytes, MemoryLimit(""), UsableAddressSpace()});
}

}  // namespace parallel_pool
