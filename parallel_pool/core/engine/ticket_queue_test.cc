#include "parallel_pool/core/engine/ticket_queue.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

Ticket Of(int env, int count = 1) {
  return {.env = env, .count = count, .row = 7, .batch = 5, .reset = 1};
}

void Send(TicketQueue& queue, const std::vector<int>& envs) {
  for (const int env : envs) queue.Put(Of(env));
  queue.Publish();
}

auto UpTo(int n) {
  return [n](int64_t, const Ticket&) { return n; };
}

TEST(TicketQueue, GivesTicketsInOrder) {
  TicketQueue queue(4);
  Ticket out[4];
  EXPECT_EQ(queue.Claim(out, UpTo(4)), 0);
  Send(queue, {3, 1, 2});
  EXPECT_EQ(queue.waiting(), 3);
  ASSERT_EQ(queue.Claim(out, UpTo(2)), 2);
  EXPECT_EQ(out[0].env, 3);
  EXPECT_EQ(out[0].count, 1);
  EXPECT_EQ(out[0].row, 7);
  EXPECT_EQ(out[0].batch, 5u);
  EXPECT_EQ(out[0].reset, 1u);
  EXPECT_EQ(out[1].env, 1);
  ASSERT_EQ(queue.Claim(out, UpTo(4)), 1);
  EXPECT_EQ(out[0].env, 2);
}

TEST(TicketQueue, GivesAsManyTicketsAsTheirEnvsAllow) {
  TicketQueue queue(8);
  for (const int count : {3, 2, 4, 9}) queue.Put(Of(0, count));
  EXPECT_EQ(queue.waiting(), 0);  // not published
  queue.Publish();
  Ticket out[8];
  EXPECT_EQ(queue.Claim(out, UpTo(6)), 2);   // 3 + 2, not 4
  EXPECT_EQ(queue.Claim(out, UpTo(13)), 2);  // 4 + 9
  queue.Put(Of(0, 9));
  queue.Publish();
  EXPECT_EQ(queue.Claim(out, UpTo(0)), 0);  // refused
  EXPECT_EQ(queue.Claim(out, UpTo(1)), 1);  // at least one
}

TEST(TicketQueue, WrapsAround) {
  TicketQueue queue(2);
  Ticket out[2];
  for (int i = 0; i < 100; ++i) {
    Send(queue, {i, i + 1});
    ASSERT_EQ(queue.Claim(out, UpTo(2)), 2);
    EXPECT_EQ(out[0].env, i);
    EXPECT_EQ(out[1].env, i + 1);
  }
}

// Envs are sent again as soon as they were run, while others wait for long.
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
      while (!stop) {
        const int count = queue.Claim(out, UpTo(t + 1));
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
