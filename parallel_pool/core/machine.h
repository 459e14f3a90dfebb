// The processors and the memory that this process may use, which in a container are not the
// machine's.
#pragma once

#include <cstdint>
#include <vector>

namespace parallel_pool {

// Numbers of the processors that the scheduler may put this process on, ascending, never empty.
// Read once.
const std::vector<int>& UsableCpus();

// How many threads can run at once: UsableCpus(), or the cgroup's CPU quota where that is less.
int UsableThreads();

// Bytes of memory: the machine's, or the cgroup's limit where that is less.
int64_t UsableMemory();

}  // namespace parallel_pool
