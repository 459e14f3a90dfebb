// The processors and the memory that this process may use, which in a container are not the
// machine's.
#pragma once

#include <cstdint>

namespace parallel_pool {

// How many threads can run at once; see DefaultThreads in topology.h.
int UsableThreads();

// Bytes of memory: the machine's, or the cgroup's limit where that is less.
int64_t UsableMemory();

}  // namespace parallel_pool
