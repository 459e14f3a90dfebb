#include "parallel_pool/core/ticket_queue.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

void Send(TicketQueue& queue, std::vector<int> envs) {
  for (size_t i = 0; i < envs.size(); ++i) queue.Put(i, {envs[i], 5, 1});
  queue.Publish(envs.size());
}

auto UpTo(int n) {
  return [n](int64_t waiting) { return static_cast<int>(std::min<int64_t>(n, waiting)); };
}

TEST(TicketQueue, GivesTicketsInOrder) {
  TicketQueue queue(4);
  Ticket out[4];
  uint64_t position;
  EXPECT_EQ(queue.Claim(out, &position, UpTo(4)), 0);
  Send(queue, {3, 1, 2});
  EXPECT_EQ(queue.waiting(), 3);
  ASSERT_EQ(queue.Claim(out, &position, UpTo(2)), 2);
  EXPECT_EQ(position, 0u);
  EXPECT_EQ(out[0].env, 3);
  EXPECT_EQ(out[0].batch, 5u);
  EXPECT_EQ(out[0].reset, 1u);
  EXPECT_EQ(out[1].env, 1);
  ASSERT_EQ(queue.Claim(out, &position, UpTo(4)), 1);
  EXPECT_EQ(position, 2u);
  EXPECT_EQ(out[0].env, 2);
}

TEST(TicketQueue, WrapsAround) {
  TicketQueue queue(2);
  Ticket out[2];
  uint64_t position;
  for (int i = 0; i < 100; ++i) {
    Send(queue, {i, i + 1});
    ASSERT_EQ(queue.Claim(out, &position, UpTo(2)), 2);
    EXPECT_EQ(position, 2u * i);
    EXPECT_EQ(out[1].env, i + 1);
  }
}

// Envs are sent again as soon as they were run, while others wait long for their turn.
TEST(TicketQueue, GivesEachTicketToOneThread) {
  constexpr int kEnvs = 64, kThreads = 4, kRounds = 20'000;
  TicketQueue queue(kEnvs);
  std::vector<std::atomic<int>> runs(kEnvs);
  std::vector<std::atomic<bool>> in_flight(kEnvs);
  std::atomic<bool> stop{false};
  std::atomic<int> overlaps{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Ticket out[8];
      uint64_t position;
      while (!stop) {
        const int count = queue.Claim(out, &position, UpTo(t + 1));
        for (int i = 0; i < count; ++i) {
          ++runs[out[i].env];
          if (!in_flight[out[i].env].exchange(false)) ++overlaps;
        }
      }
    });
  }
  int64_t sent = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> idle;
    for (int env = 0; env < kEnvs; ++env) {
      if (!in_flight[env]) idle.push_back(env);
    }
    for (int env : idle) in_flight[env] = true;
    Send(queue, idle);
    sent += idle.size();
  }
  while (queue.waiting() > 0) std::this_thread::yield();
  stop = true;
  threads.clear();
  int64_t ran = 0;
  for (const auto& n : runs) ran += n;
  EXPECT_EQ(ran, sent);
  EXPECT_EQ(overlaps, 0);
}

}  // namespace
}  // namespace parallel_pool
