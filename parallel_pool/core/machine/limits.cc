#include "parallel_pool/core/machine/limits.h"

#include <unistd.h>

#include <algorithm>

#include "parallel_pool/core/machine/cgroup.h"
#include "parallel_pool/core/machine/topology.h"

namespace parallel_pool {

int UsableThreads() {
  return DefaultThreads(MachineTopology());
}

int64_t UsableMemory() {
  const int64_t bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return std::min(bytes, MemoryLimit(""));
}

}  // namespace parallel_pool
