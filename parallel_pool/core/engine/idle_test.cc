// Many orders of a sender, workers that fall asleep, and a receiver (testing/interleave.h).
#include "parallel_pool/core/engine/idle.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/countdown.h"
#include "parallel_pool/core/engine/ticket_queue.h"
#include "parallel_pool/core/testing/interleave.h"

namespace parallel_pool {
namespace {

using testing::Check;
using testing::Explore;
using testing::Plan;
using testing::SimSync;

// Injected bugs.

// Sleeps although the word has changed since the thread read it.
struct BlindSync : SimSync {
  static void Wait(const Atomic<uint32_t>& word, uint32_t, std::chrono::nanoseconds limit) {
    SimSync::Wait(word, word.load(), limit);
  }
};

// Counts down by a load and a store, not by one atomic operation.
struct TornSync : SimSync {
  template <class T>
  struct Atomic : SimSync::Atomic<T> {
    using SimSync::Atomic<T>::Atomic;
    T fetch_sub(T n, std::memory_order = {}) {
      const T old = this->load();
      this->store(static_cast<T>(old - n));
      return old;
    }
  };
};

struct Options {
  int max_spinners = 1;
  bool caller_works = false;  // a sync pool: the receiver runs tickets, and may wake no worker
  bool second_look = true;    // otherwise a worker does not look again before it sleeps
  bool publish_first = true;  // otherwise Wake comes before Publish
};

// A model of the Scheduler, and of a user that sends two tickets and waits for both, three times.
template <class Sync>
class Model {
 public:
  Model(const Options& options, bool wakes) : options_(options), wakes_(wakes) {}

  void Worker() {
    idle_.Work([this] { return RunOne(); },
               [this] { return options_.second_look && queue_.waiting() > 0; });
  }

  void User() {
    for (int round = 0; round < 3; ++round) {
      left_.Start(2);
      for (int env = 0; env < 2; ++env) queue_.Put({env, 1, 0, 0, 0});
      if (options_.publish_first) queue_.Publish();
      idle_.Wake(wakes_ ? 1 : 0);
      if (!options_.publish_first) queue_.Publish();
      while (!left_.done()) {
        if (!options_.caller_works || !RunOne()) left_.Wait(std::chrono::hours(2));
      }
      Check(runs_ == 2 * (round + 1), "received before the tickets were run");
    }
    idle_.Stop();
  }

 private:
  bool RunOne() {
    Ticket ticket;
    if (queue_.Claim(&ticket, [](int64_t, const Ticket&) { return 1; }) == 0) return false;
    ++runs_;
    left_.Finish(1);
    if (idle_.anyone_sleeps() && queue_.waiting() > 0) idle_.Wake(2);
    return true;
  }

  const Options options_;
  const bool wakes_;
  int runs_ = 0;
  BasicTicketQueue<SimSync> queue_{2};
  BasicIdle<Sync> idle_{2, options_.max_spinners};
  BasicCountdown<SimSync> left_;
};

template <class Sync = SimSync>
std::string ExploreIdle(const Options& options) {
  return Explore({}, [&](Plan& plan) {
    const bool wakes = !options.caller_works || plan.random()() % 2 == 0;
    const auto model = std::make_shared<Model<Sync>>(options, wakes);
    for (int worker = 0; worker < 2; ++worker) plan.Thread([=] { model->Worker(); });
    plan.Thread([=] { model->User(); });
  });
}

// A Sync with a clock that advances by 10 us at each reading.
struct Ticking {
  static inline Clock::time_point now{};
  static Clock::time_point Now() { return now += std::chrono::microseconds(10); }
  static void Pause(int) {}
};

TEST(SpinBackoff, SpinsOftenOnlyWhileItPays) {
  SpinBackoff backoff;
  bool done = false;
  int looks = 0;
  const auto spins = [&] {  // whether the next call spins
    const int before = looks;
    const bool paid = backoff.Spin<Ticking>([&] { return ++looks, done; });
    EXPECT_EQ(paid, done && looks > before);
    return looks > before;
  };
  for (const int sleeps : {1, 2, 4, 8, 16, 32, 64, 64}) {
    EXPECT_TRUE(spins());
    for (int i = 0; i < sleeps; ++i) EXPECT_FALSE(spins()) << sleeps;
  }
  done = true;
  EXPECT_TRUE(spins());
  EXPECT_TRUE(spins());
}

TEST(Idle, LosesNoWakeUp) {
  for (const bool caller_works : {false, true}) {
    for (const int max_spinners : {0, 1, 2}) {
      EXPECT_EQ(ExploreIdle({.max_spinners = max_spinners, .caller_works = caller_works}), "");
    }
  }
}

TEST(Idle, BugsAreFound) {
  const Options no_second_look{.max_spinners = 0, .second_look = false};
  const Options wakes_first{.publish_first = false};
  for (const std::string& failure :
       {ExploreIdle(no_second_look), ExploreIdle(wakes_first), ExploreIdle<BlindSync>({}),
        ExploreIdle<TornSync>({.max_spinners = 2})}) {
    EXPECT_TRUE(failure.starts_with("deadlock: ")) << failure;
  }
}

}  // namespace
}  // namespace parallel_pool
