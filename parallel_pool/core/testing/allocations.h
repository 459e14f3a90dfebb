// Counts the allocations of the process that links it.
#pragma once

#include <cstdint>

namespace parallel_pool::testing {

// The number of calls of operator new so far, by all threads.
int64_t Allocations();

// Makes the next call of operator new but `n` throw std::bad_alloc, once; n < 0: none.
void FailAllocation(int64_t n);
// Whether that call has come.
bool HasFailed();

}  // namespace parallel_pool::testing
