#include "parallel_pool/core/scheduler.h"

#include <chrono>
#include <mutex>
#include <numeric>
#include <set>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

class Counter : public ChunkRunner {
 public:
  explicit Counter(int envs) : runs(envs) {}
  void Run(std::span<const Ticket> tickets) noexcept override {
    int count = 0;
    for (const Ticket& ticket : tickets) {
      for (int i = 0; i < ticket.count; ++i) ++runs[ticket.env + i];
      count += ticket.count;
    }
    largest = std::max(largest.load(), count);
    if (step.count() > 0) std::this_thread::sleep_for(step * count);
    {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    done += count;
  }
  std::vector<std::atomic<int>> runs;
  std::atomic<int> done{0}, largest{0};
  std::chrono::microseconds step{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
};

std::vector<std::vector<int>> Anywhere(int threads) {
  return std::vector<std::vector<int>>(threads);
}

void SendAll(Scheduler& scheduler, int envs) {
  std::vector<int32_t> all(envs);
  std::iota(all.begin(), all.end(), 0);
  scheduler.Send(all, /*batch=*/0, /*reset=*/false);
}

TEST(Scheduler, WorkersRunEveryTicketOnce) {
  constexpr int kEnvs = 100;
  for (const int workers : {1, 2, 5}) {
    Counter counter(kEnvs);
    Scheduler scheduler(counter, kEnvs, /*caller_works=*/false, Anywhere(workers));
    for (int round = 1; round <= 500; ++round) {
      SendAll(scheduler, kEnvs);
      while (counter.done < round * kEnvs) std::this_thread::yield();
    }
    for (const auto& n : counter.runs) EXPECT_EQ(n, 500);
  }
}

// A lost wake-up would leave a ticket lying: workers fall asleep between rounds.
TEST(Scheduler, WakesAWorkerForASingleTicket) {
  Counter counter(1);
  Scheduler scheduler(counter, 1, /*caller_works=*/false, Anywhere(2));
  for (int round = 1; round <= 300; ++round) {
    SendAll(scheduler, 1);
    while (counter.done < round) std::this_thread::yield();
    if (round % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

TEST(Scheduler, CallerAloneRunsWhatItSent) {
  Counter counter(1000);
  Scheduler scheduler(counter, 1000, /*caller_works=*/true, Anywhere(1));
  SendAll(scheduler, 1000);
  EXPECT_EQ(counter.done, 0);
  while (scheduler.RunOne()) {}
  EXPECT_EQ(counter.done, 1000);
  EXPECT_LE(counter.largest, kMaxChunk);
  EXPECT_FALSE(scheduler.RunOne());
}

TEST(Scheduler, ClaimsHeavyStepsOneByOneOnAllThreads) {
  constexpr int kEnvs = 16;
  Counter counter(kEnvs);
  counter.step = std::chrono::microseconds(500);
  Scheduler scheduler(counter, kEnvs, /*caller_works=*/true, Anywhere(4));
  for (int round = 1; round <= 20; ++round) {
    if (round == 10) counter.largest = 0;  // by now the estimate is there
    SendAll(scheduler, kEnvs);
    while (scheduler.RunOne()) {}
    while (counter.done < round * kEnvs) std::this_thread::yield();
  }
  EXPECT_EQ(counter.largest, 1);
  EXPECT_EQ(counter.threads.size(), 4u);
}

TEST(Scheduler, StopsWithWorkWaiting) {
  Counter counter(64);
  counter.step = std::chrono::microseconds(1000);
  Scheduler scheduler(counter, 64, /*caller_works=*/false, {{0}, {0}});
  SendAll(scheduler, 64);
  scheduler.Stop();
  EXPECT_LE(counter.done, 64);
}

}  // namespace
}  // namespace parallel_pool
