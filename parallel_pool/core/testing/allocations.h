// Counts the allocations of the process that links it.
#pragma once

#include <cstdint>

namespace parallel_pool::testing {

// The number of calls of operator new so far, by all threads.
int64_t Allocations();

}  // namespace parallel_pool::testing
