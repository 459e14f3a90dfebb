// What the control groups allow this process, which in a container is less than the machine has.
// Groups lie within groups, and each may set a limit: the smallest counts. Both versions are read.
//
// `root` is where the machine's files are: "", but for a test.
#pragma once

#include <cstdint>
#include <string>

namespace parallel_pool {

// Processors that may be kept busy, such as 2.5; infinity without a limit.
double CpuQuota(const std::string& root);

// Bytes of memory; the largest int64_t without a limit.
int64_t MemoryLimit(const std::string& root);

}  // namespace parallel_pool
