#include "parallel_pool/core/machine/limits.h"

#include <algorithm>

#include "parallel_pool/core/machine/cgroup.h"
#include "parallel_pool/core/machine/topology.h"
#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool {
int UsableProcessors() {
  return static_cast<int>(MachineTopology().cpus.size());
}

int UsableThreads() {
  return DefaultThreads(MachineTopology());
}

int64_t UsableMemory() {
  return std::min({platform::PhysicalMemory(), MemoryLimit(""), platform::AddressSpaceLeft()});
}

}  // namespace parallel_pool
