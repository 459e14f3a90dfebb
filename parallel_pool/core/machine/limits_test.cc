#include "parallel_pool/core/machine/limits.h"

#include "gtest/gtest.h"
#include "parallel_pool/core/machine/topology.h"
#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool {
namespace {

TEST(Machine, ThreadsAreNoMoreThanProcessors) {
  EXPECT_GE(UsableThreads(), 1);
  EXPECT_LE(UsableThreads(), static_cast<int>(MachineTopology().cpus.size()));
}

TEST(Machine, MemoryIsNoMoreThanTheMachineHas) {
  EXPECT_GT(UsableMemory(), 1 << 20);
  EXPECT_LE(UsableMemory(), platform::PhysicalMemory());
}

}  // namespace
}  // namespace parallel_pool
