#include "parallel_pool/core/engine/stand_in.h"

#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

// A ticket that comes while the thread is about to end would otherwise wait forever.
TEST(StandIn, RunsEveryTicket) {
  std::atomic<int> tickets{0};
  StandIn stand_in([&] {
    if (tickets == 0) return false;
    --tickets;
    return true;
  });
  for (int round = 0; round < 5'000; ++round) {
    ++tickets;
    ASSERT_TRUE(stand_in.Continue() || stand_in.Start());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (tickets > 0) ASSERT_LT(std::chrono::steady_clock::now(), deadline) << round;
    // Ends the wait at many distances to the end of the thread.
    for (volatile int i = 0; i < round % 1000 * 20;) i = i + 1;
  }
}

TEST(StandIn, StopsAfterItsChunk) {
  std::atomic<int> chunks{0};
  {
    StandIn stand_in([&] {
      ++chunks;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return true;
    });
    ASSERT_TRUE(stand_in.Start());
    while (chunks == 0) std::this_thread::yield();
  }
  EXPECT_LE(chunks, 2);
}

}  // namespace
}  // namespace parallel_pool
