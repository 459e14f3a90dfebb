// Runs a few threads in many orders, to find bugs that real threads show once in a million runs.
//
//   EXPECT_EQ(Explore({}, [](Plan& plan) {
//               auto word = std::make_shared<SimSync::Atomic<int>>(0);
//               plan.Thread([=] { word->store(1); });
//               plan.Thread([=] { Check(word->load() < 2, "stored twice"); });
//             }), "");
//
// Code that takes its atomics and its futex from SimSync stops at each of these calls, and a
// random choice decides which thread runs next. One schedule is one seed: the same seed gives the
// same order. A schedule fails by a Check, by deadlock (all threads that have not ended sleep: a
// thread was not woken) or by livelock (too many steps).
//
// Odd seeds choose at each step with a fixed chance to change threads. Even seeds run the thread
// of the highest priority and lower priorities at a few random steps ("probabilistic concurrency
// testing", Burckhardt et al. 2010), which finds bugs that need few changes in particular places.
//
// All accesses are sequentially consistent here: bugs that need a weaker order are not found.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>

#include "parallel_pool/core/engine/sync.h"

namespace parallel_pool::testing {

struct Budget {
  int schedules = 10'000;
  int64_t max_steps = 20'000;  // steps of one schedule; more are a livelock
  uint64_t first_seed = 1;
};

// A schedule that is being set up.
class Plan {
 public:
  // Adds a thread. Threads start in any order when `set_up` has returned.
  virtual void Thread(std::function<void()> body) = 0;
  // Adds a check that runs after all threads have ended.
  virtual void AtEnd(std::function<void()> check) = 0;
  // A generator with the schedule's seed.
  virtual std::mt19937_64& random() = 0;

 protected:
  ~Plan() = default;
};

// Runs the threads of `set_up` in `budget.schedules` orders. Returns "", or the failure of the
// first schedule that failed, with its seed and its last steps. With the environment variable
// INTERLEAVE_SEED only that schedule runs.
std::string Explore(const Budget& budget, const std::function<void(Plan&)>& set_up);

// Fails the schedule and ends it unless `ok`.
void Check(bool ok, const char* what);

// The scheduler behind SimSync.
namespace sim {

void Step(const void* word, const char* what);  // another thread may run here
void Sleep(const void* word, bool forever);
void Wake(const void* word, int threads);
void Yield();
bool Chance(int one_in);
Clock::time_point Now();

}  // namespace sim

struct SimSync {
  template <class T>
  class Atomic {
   public:
    Atomic() = default;
    explicit(false) Atomic(T value) : value_(value) {}
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(std::memory_order = {}) const {
      sim::Step(this, "load");
      return value_;
    }
    void store(T value, std::memory_order = {}) {
      sim::Step(this, "store");
      value_ = value;
    }
    T exchange(T value, std::memory_order = {}) {
      sim::Step(this, "exchange");
      return std::exchange(value_, value);
    }
    T fetch_add(T n, std::memory_order = {}) {
      sim::Step(this, "fetch_add");
      return std::exchange(value_, static_cast<T>(value_ + n));
    }
    T fetch_sub(T n, std::memory_order = {}) {
      sim::Step(this, "fetch_sub");
      return std::exchange(value_, static_cast<T>(value_ - n));
    }
    bool compare_exchange_strong(T& expected, T value, std::memory_order = {},
                                 std::memory_order = {}) {
      sim::Step(this, "compare_exchange");
      if (value_ != expected) {
        expected = value_;
        return false;
      }
      value_ = value;
      return true;
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order order = {},
                               std::memory_order failed = {}) {
      if (sim::Chance(16)) {
        expected = load();
        return false;
      }
      return compare_exchange_strong(expected, value, order, failed);
    }

   private:
    friend struct SimSync;
    T value_{};
  };

  // A limit below an hour may end at any time; a longer one never ends.
  static void Wait(const Atomic<uint32_t>& word, uint32_t seen, std::chrono::nanoseconds limit) {
    sim::Step(&word, "futex wait");
    if (word.value_ == seen) sim::Sleep(&word, limit >= std::chrono::minutes(59));
  }
  static void Wake(const Atomic<uint32_t>& word, int threads = INT_MAX) {
    sim::Step(&word, "futex wake");
    sim::Wake(&word, threads);
  }
  static void Pause(int) { sim::Yield(); }
  // A clock that advances by 10 us at each reading.
  static Clock::time_point Now() { return sim::Now(); }
};

}  // namespace parallel_pool::testing
