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

TEST(StandIn, IsTheSameThreadForASecond) {
  std::atomic<int> tickets{0};
  std::atomic<std::thread::id> thread{};
  StandIn stand_in([&] {
    if (tickets == 0) return false;
    thread = std::this_thread::get_id();
    --tickets;
    return true;
  });
  const auto run = [&] {
    ++tickets;
    EXPECT_TRUE(stand_in.Start());
    while (stand_in.working()) std::this_thread::yield();
    EXPECT_EQ(tickets, 0);
    return thread.load();
  };
  const std::thread::id first = run();
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(run(), first);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  run();  // with another thread
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
