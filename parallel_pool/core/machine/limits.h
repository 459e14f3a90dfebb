// The processors and the memory that this process may use; in a container they are less than the
// machine's.
#pragma once

#include <cstdint>

namespace parallel_pool {

// The number of processors that this process may use.
int UsableProcessors();

// The number of threads that can run at once; see DefaultThreads in topology.h.
int UsableThreads();

// The usable memory in bytes: the machine's, or the cgroup's limit if that is less.
int64_t UsableMemory();

}  // namespace parallel_pool
