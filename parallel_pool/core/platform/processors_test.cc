#include "parallel_pool/core/platform/processors.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "gtest/gtest.h"

namespace parallel_pool::platform {
namespace {

TEST(Processors, AreThoseThatTheSystemCounts) {
  const std::vector<int> processors = UsableProcessors();
  EXPECT_EQ(processors.size(), std::thread::hardware_concurrency());
  EXPECT_TRUE(std::ranges::is_sorted(processors));
}

TEST(Pin, LeavesAThreadItsProcessor) {
  const int processor = sched_getcpu();
  std::thread([processor] {
    Pin(ThisThread(), {});
    Pin(ThisThread(), {processor});
    Pin(ThisThread(), {60'000});  // no such processor: refused
    EXPECT_GE(sched_getcpu(), 0);
  }).join();
}

}  // namespace
}  // namespace parallel_pool::platform
