#include "parallel_pool/core/engine/scheduler.h"

#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

class Counter : public ChunkRunner {
 public:
  explicit Counter(int envs) : runs(envs) {}
  void Run(int, std::span<const Ticket> tickets) noexcept override {
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

// Workers fall asleep between rounds: a lost wake-up would leave a ticket in its queue.
TEST(Scheduler, WakesAWorkerForASingleTicket) {
  Counter counter(1);
  Scheduler scheduler(counter, 1, /*caller_works=*/false, Anywhere(2));
  for (int round = 1; round <= 300; ++round) {
    SendAll(scheduler, 1);
    while (counter.done < round) std::this_thread::yield();
    if (round % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

TEST(GrantedChunk, IsAFreeThreadsFairShareAtMost) {
  EXPECT_EQ(GrantedChunk(8, 100, 1), 8);
  EXPECT_EQ(GrantedChunk(8, 100, 4), 8);
  EXPECT_EQ(GrantedChunk(8, 16, 4), 4);
  EXPECT_EQ(GrantedChunk(8, 5, 4), 2);  // two threads take 2, one takes 1
  EXPECT_EQ(GrantedChunk(8, 3, 4), 1);
  EXPECT_EQ(GrantedChunk(1, 100, 4), 1);
}

// Expensive envs are claimed one by one, unless they prefer chunks.
TEST(Scheduler, GrantsThePreferredChunk) {
  constexpr int kEnvs = 16;
  for (const int preferred : {1, 5}) {
    Counter counter(kEnvs);
    counter.step = std::chrono::microseconds(100);
    Scheduler scheduler(counter, kEnvs, /*caller_works=*/true, Anywhere(1), preferred);
    for (int round = 0; round < 3; ++round) {
      SendAll(scheduler, kEnvs);
      while (scheduler.RunOne()) {}
    }
    EXPECT_EQ(counter.largest, preferred);
    EXPECT_EQ(counter.done, 3 * kEnvs);
  }
}

// The first of two threads takes at most half of the waiting envs.
TEST(Scheduler, LeavesOtherThreadsTheirShare) {
  constexpr int kEnvs = 8;
  Counter counter(kEnvs);
  counter.step = std::chrono::milliseconds(20);
  Scheduler scheduler(counter, kEnvs, /*caller_works=*/false, Anywhere(2), /*preferred_chunk=*/8);
  for (int round = 1; round <= 5; ++round) {
    SendAll(scheduler, kEnvs);
    while (counter.done < round * kEnvs) std::this_thread::yield();
  }
  EXPECT_GT(counter.largest, 1);
  EXPECT_LE(counter.largest, kEnvs / 2);
  EXPECT_EQ(counter.threads.size(), 2u);
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

// A chunk of unknown cost, or of more than 10 ms, does not hold the receiver.
TEST(Scheduler, AnotherThreadThanTheReceiverRunsWhatMayBeLong) {
  Counter counter(1);
  Scheduler scheduler(counter, 1, /*caller_works=*/true, Anywhere(1));
  int rounds = 0;
  // Whether the receiver runs the next step itself.
  const auto runs_itself = [&] {
    SendAll(scheduler, 1);
    const bool ran = scheduler.Help();
    for (++rounds; counter.done < rounds;) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the other thread ends
    return ran;
  };
  EXPECT_FALSE(runs_itself());
  EXPECT_TRUE(runs_itself());
  counter.step = std::chrono::milliseconds(200);
  EXPECT_TRUE(runs_itself());  // nothing tells that this step is long
  EXPECT_FALSE(runs_itself());
  counter.step = std::chrono::microseconds(0);
  for (int i = 0; i < 50; ++i) runs_itself();
  EXPECT_TRUE(runs_itself());
}

TEST(Scheduler, ClaimsHeavyStepsOneByOneOnAllThreads) {
  constexpr int kEnvs = 16;
  Counter counter(kEnvs);
  counter.step = std::chrono::microseconds(500);
  Scheduler scheduler(counter, kEnvs, /*caller_works=*/true, Anywhere(4));
  for (int round = 1; round <= 20; ++round) {
    if (round == 10) counter.largest = 0;  // the cost is measured by now
    SendAll(scheduler, kEnvs);
    while (scheduler.RunOne()) {}
    while (counter.done < round * kEnvs) std::this_thread::yield();
  }
  EXPECT_EQ(counter.largest, 1);
  EXPECT_EQ(counter.threads.size(), 4u);
}

// Resets are claimed one by one until their cost is measured, however cheap steps are. Their cost
// does not change the estimate of steps.
TEST(Scheduler, ResetsHaveAnEstimateOfTheirOwn) {
  constexpr int kEnvs = 64;
  constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();
  std::vector<int32_t> all(kEnvs);
  std::iota(all.begin(), all.end(), 0);
  Counter counter(kEnvs);
  Scheduler scheduler(counter, kEnvs, /*caller_works=*/true, Anywhere(1));
  const auto run = [&](bool reset) {
    counter.largest = 0;
    scheduler.Send(all, /*batch=*/0, reset);
    const int64_t before = scheduler.EstimateNs(1);
    while (scheduler.RunOne()) {}
    return before;
  };
  EXPECT_EQ(run(/*reset=*/false), kUnknown);
  for (int i = 0; i < 100; ++i) run(/*reset=*/false);
  EXPECT_GT(counter.largest, 1);

  counter.step = std::chrono::microseconds(1000);
  EXPECT_EQ(run(/*reset=*/true), kUnknown);
  EXPECT_EQ(counter.largest, 1);
  EXPECT_GE(scheduler.EstimateNs(1), 1'000'000);

  counter.step = std::chrono::microseconds(0);
  EXPECT_LT(run(/*reset=*/false), 1'000'000);
  EXPECT_GT(counter.largest, 1);
}

// Env 0 does not end its reset until the test releases it.
class Stuck : public ChunkRunner {
 public:
  void Run(int, std::span<const Ticket> tickets) noexcept override {
    for (const Ticket& ticket : tickets) {
      for (int i = 0; i < ticket.count; ++i) began |= 1 << (ticket.env + i);
      while (ticket.env == 0 && ticket.reset && !go_on) std::this_thread::yield();
    }
  }
  // Whether the env began within 10 s.
  bool Began(int env) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!(began & 1 << env) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    return began & 1 << env;
  }
  std::atomic<int> began{0};
  std::atomic<bool> go_on{false};
};

constexpr auto kAsleep = std::chrono::milliseconds(20);  // much longer than a worker spins

TEST(Scheduler, ResetsOfUnknownCostWakeAllWorkersHoweverCheapStepsAre) {
  const std::vector<int32_t> both{0, 1};
  Stuck stuck;
  Scheduler scheduler(stuck, 2, /*caller_works=*/false, Anywhere(2));
  for (int round = 0; round < 200; ++round) {
    stuck.began = 0;
    scheduler.Send(both, /*batch=*/0, /*reset=*/false);
    ASSERT_TRUE(stuck.Began(0) && stuck.Began(1));
  }
  std::this_thread::sleep_for(kAsleep);
  stuck.began = 0;
  scheduler.Send(both, /*batch=*/0, /*reset=*/true);
  EXPECT_TRUE(stuck.Began(1));
  stuck.go_on = true;
}

// The receiver goes on while its stand-in runs; tickets that come later are not forgotten.
TEST(Scheduler, TheReceiverDoesNotWaitForItsStandIn) {
  Stuck stuck;
  Scheduler scheduler(stuck, 2, /*caller_works=*/true, Anywhere(1));
  scheduler.Send(std::vector<int32_t>{0}, /*batch=*/0, /*reset=*/true);
  EXPECT_FALSE(scheduler.Help());
  ASSERT_TRUE(stuck.Began(0));
  scheduler.Send(std::vector<int32_t>{1}, /*batch=*/1, /*reset=*/false);
  EXPECT_FALSE(scheduler.Help());
  std::this_thread::sleep_for(kAsleep);
  EXPECT_FALSE(stuck.began & 1 << 1) << "two threads run envs, but num_threads is 1";
  stuck.go_on = true;
  EXPECT_TRUE(stuck.Began(1));
}

// A worker that runs a step counts as awake, so Send wakes no other worker for so little work. A
// receiver that has waited does.
TEST(Scheduler, WakeAllIfWaitingWakesAWorkerNextToOneThatIsStuck) {
  Stuck stuck;
  Scheduler scheduler(stuck, 2, /*caller_works=*/false, Anywhere(2));
  std::this_thread::sleep_for(kAsleep);
  scheduler.Send(std::vector<int32_t>{0}, /*batch=*/0, /*reset=*/true);
  ASSERT_TRUE(stuck.Began(0));
  std::this_thread::sleep_for(kAsleep);
  scheduler.Send(std::vector<int32_t>{1}, /*batch=*/1, /*reset=*/true);
  scheduler.WakeAllIfWaiting();
  EXPECT_TRUE(stuck.Began(1));
  stuck.go_on = true;
}

TEST(Scheduler, StopsWithWorkWaiting) {
  Counter counter(64);
  counter.step = std::chrono::microseconds(1000);
  Scheduler scheduler(counter, 64, /*caller_works=*/false, {{0}, {0}});
  SendAll(scheduler, 64);
  EXPECT_TRUE(scheduler.Stop(kForever));
  EXPECT_LE(counter.done, 64);
}

TEST(Scheduler, StopGivesUpAfterItsLimitAndCanBeCalledAgain) {
  Stuck stuck;
  Scheduler scheduler(stuck, 1, /*caller_works=*/false, Anywhere(2));
  scheduler.Send(std::vector<int32_t>{0}, /*batch=*/0, /*reset=*/true);
  ASSERT_TRUE(stuck.Began(0));
  EXPECT_FALSE(scheduler.Stop(std::chrono::milliseconds(10)));
  stuck.go_on = true;
  EXPECT_TRUE(scheduler.Stop(kForever));
}

}  // namespace
}  // namespace parallel_pool
