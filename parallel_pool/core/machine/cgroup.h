// The limits of this process's control groups; in a container they are less than the machine has.
// Groups are nested, and each may set a limit: the smallest counts. Both versions are read.
//
// `root` is the folder of the machine's files: "", except in tests.
#pragma once

#include <cstdint>
#include <string>

namespace parallel_pool {

// The number of processors that may be kept busy, such as 2.5; infinity without a limit.
double CpuQuota(const std::string& root);

// The memory limit in bytes; the largest int64_t without a limit.
int64_t MemoryLimit(const std::string& root);

}  // namespace parallel_pool
