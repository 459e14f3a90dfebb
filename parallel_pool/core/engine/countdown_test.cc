#include "parallel_pool/core/engine/countdown.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/interleave.h"

namespace parallel_pool {
namespace {

using testing::Check;
using testing::Explore;
using testing::Plan;
using testing::SimSync;
template <class T>
using Atomic = SimSync::Atomic<T>;
using SimCountdown = BasicCountdown<SimSync>;

// Injected bugs: each leaves one step out, or does one too late.

// The last Finish looks for a sleeper before it publishes that the round is done.
class LooksTooEarly {
 public:
  void Start(int count) { remaining_.store(count), awaited_.store(0), done_.store(0); }
  void Finish(int count) {
    if (remaining_.fetch_sub(count) != count) return;
    const bool awaited = awaited_.load() != 0;
    done_.store(1);
    if (awaited) SimSync::Wake(done_);
  }
  bool Wait(std::chrono::nanoseconds limit) {
    awaited_.store(1);
    while (done_.load() == 0) SimSync::Wait(done_, 0, limit);
    return true;
  }

 private:
  Atomic<int> remaining_{0};
  Atomic<uint32_t> awaited_{0}, done_{0};
};

// Finish writes to the Countdown when the receiver may already have started it again.
class TidiesUpTooLate {
 public:
  void Start(int count) { remaining_.store(count), done_.store(0); }
  void Finish(int count) {
    if (remaining_.fetch_sub(count) != count) return;
    done_.store(1);
    SimSync::Wake(done_);
    remaining_.store(0);
  }
  bool Wait(std::chrono::nanoseconds limit) {
    while (done_.load() == 0) SimSync::Wait(done_, 0, limit);
    return true;
  }

 private:
  Atomic<int> remaining_{0};
  Atomic<uint32_t> done_{0};
};

// The count is read and written in two steps, not by one atomic operation.
struct TornSync : SimSync {
  template <class T>
  struct Atomic : SimSync::Atomic<T> {
    using SimSync::Atomic<T>::Atomic;
    T fetch_sub(T n, std::memory_order = {}) {
      const T old = this->load();
      this->store(old - n);
      return old;
    }
  };
  static void Wait(const Atomic<uint32_t>& word, uint32_t seen, std::chrono::nanoseconds l) {
    SimSync::Wait(word, seen, l);
  }
};

// Two workers finish rows for a receiver, which uses the countdown again as soon as it is done. A
// worker learns of a new round as of a new batch: by a word that is published after Start.
template <class T>
void Rounds(Plan& plan, std::chrono::nanoseconds limit) {
  constexpr int kRounds = 3, kWorkers = 2;
  struct State {
    T countdown;
    Atomic<uint32_t> round{0};
    int rows[kRounds] = {};
  };
  const auto state = std::make_shared<State>();
  for (int worker = 0; worker < kWorkers; ++worker) {
    plan.Thread([=] {
      for (uint32_t round = 0; round < kRounds; ++round) {
        for (uint32_t now; (now = state->round.load()) <= round;) {
          SimSync::Wait(state->round, now, std::chrono::hours(1));
        }
        state->rows[round] += 1 + worker;
        state->countdown.Finish(1 + worker);
      }
    });
  }
  plan.Thread([=] {
    for (int round = 0; round < kRounds; ++round) {
      state->countdown.Start(3);
      state->round.fetch_add(1);
      SimSync::Wake(state->round);
      while (!state->countdown.Wait(limit)) {}
      Check(state->rows[round] == 3, "received before all rows were finished");
    }
  });
}

template <class T>
std::string ExploreRounds(std::chrono::nanoseconds limit = std::chrono::hours(2)) {
  return Explore({}, [&](Plan& plan) { Rounds<T>(plan, limit); });
}

TEST(Countdown, WakesItsReceiver) {
  EXPECT_EQ(ExploreRounds<SimCountdown>(), "");
}

TEST(Countdown, WakesAReceiverWhoseTimeWasOverBefore) {
  EXPECT_EQ(ExploreRounds<SimCountdown>(std::chrono::microseconds(25)), "");
}

TEST(Countdown, BugsAreFound) {
  const std::string early = ExploreRounds<LooksTooEarly>();
  EXPECT_TRUE(early.starts_with("deadlock: ")) << early;
  const std::string late = ExploreRounds<TidiesUpTooLate>();
  EXPECT_TRUE(late.starts_with("deadlock: ")) << late;
  const std::string torn = ExploreRounds<BasicCountdown<TornSync>>();
  EXPECT_TRUE(torn.starts_with("deadlock: ")) << torn;
}

}  // namespace
}  // namespace parallel_pool
