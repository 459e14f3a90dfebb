// Under --config=asan and --config=tsan: the sanitizers are on, and a report ends the process.
#include "parallel_pool/core/testing/planted.h"

#include "gtest/gtest.h"

namespace {

#if defined(__SANITIZE_THREAD__)

TEST(PlantedDeathTest, TheRaceIsReported) {
  EXPECT_DEATH(PlantedRace(), "ThreadSanitizer: data race");
}

#elif defined(__SANITIZE_ADDRESS__)

TEST(PlantedDeathTest, TheUseAfterFreeIsReported) {
  EXPECT_DEATH(PlantedUseAfterFree(), "AddressSanitizer: heap-use-after-free");
}

TEST(PlantedDeathTest, TheOverflowIsReported) {
  EXPECT_DEATH(PlantedOverflow(), "signed integer overflow");
}

#else

TEST(PlantedDeathTest, NeedsASanitizer) {
  GTEST_SKIP() << "only under --config=asan or tsan";
}

#endif

}  // namespace
