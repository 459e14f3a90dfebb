// A worker between two pieces of work: it spins for a while, then sleeps.
//
// The sender publishes work first and calls Wake second. A worker announces itself first
// (spinning_, sleeping_) and looks for work second. All four are sequentially consistent, so at
// least one of the two sees the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "parallel_pool/core/engine/sync.h"

namespace parallel_pool {

// Decides whether a waiting thread spins for 50 us before it sleeps. The spin saves a sleep and a
// wake-up if work arrives in that time; if not, it took the core from other threads. So after a
// spin in vain the thread sleeps once before it spins again, then twice, 4 times, at most 64 times.
class SpinBackoff {
 public:
  // Returns true as soon as done() does; false if it does not within `limit`, the cost of a sleep
  // and a wake-up, or if the thread shall not spin now.
  template <class Sync, class Done>
  bool Spin(const Done& done, std::chrono::nanoseconds limit = kPark) {
    if (sleeps_left_ > 0) {
      --sleeps_left_;
      return false;
    }
    for (const auto deadline = Sync::Now() + limit; Sync::Now() < deadline;) {
      Sync::Pause(16);
      if (done()) {
        sleeps_ = 0;
        return true;
      }
    }
    sleeps_ = std::clamp(2 * sleeps_, 1, 64);
    sleeps_left_ = sleeps_;
    return false;
  }

 private:
  static constexpr std::chrono::nanoseconds kPark{50'000};

  int sleeps_ = 0, sleeps_left_ = 0;  // sleeps between two spins: in all, and still to come
};

template <class Sync>
class BasicIdle {
 public:
  // Serves `workers` threads, of which at most `max_spinners` spin at the same time.
  BasicIdle(int workers, int max_spinners) : workers_(workers), max_spinners_(max_spinners) {}

  // Worker: calls run_one() until Stop(). run_one() returns whether there was work. has_work() is
  // sequentially consistent.
  template <class RunOne, class HasWork>
  void Work(const RunOne& run_one, const HasWork& has_work) {
    SpinBackoff backoff;
    while (!stop_.load(std::memory_order_acquire)) {
      if (!run_one() && !Spin(&backoff, has_work)) Sleep(has_work);
    }
  }

  // Any thread, after publishing work: wakes sleeping workers until `wanted` are awake. A worker
  // that runs a step counts as awake: it looks for more work when it is done, usually within 20 us,
  // and a wake-up costs more than that. Where this fails, the waiting receiver wakes all workers
  // (Scheduler::WakeAllIfWaiting).
  void Wake(int64_t wanted) {
    const int sleeping = sleeping_.load(std::memory_order_seq_cst);
    wanted = std::min<int64_t>(wanted - (workers_ - sleeping), sleeping);
    if (wanted <= 0) return;
    wakes_.fetch_add(1, std::memory_order_seq_cst);
    Sync::Wake(wakes_, static_cast<int>(wanted));
  }
  bool may_spin() const { return max_spinners_ > 0; }
  bool anyone_sleeps() const { return sleeping_.load(std::memory_order_relaxed) > 0; }

  // Any thread: makes every Work() return.
  void Stop() {
    stop_.store(true, std::memory_order_seq_cst);
    wakes_.fetch_add(1, std::memory_order_seq_cst);
    Sync::Wake(wakes_);
  }

 private:
  template <class T>
  using Atomic = typename Sync::template Atomic<T>;

  template <class HasWork>
  bool Spin(SpinBackoff* backoff, const HasWork& has_work) {
    bool found = false;
    if (spinning_.fetch_add(1, std::memory_order_seq_cst) < max_spinners_) {
      found =
          backoff->Spin<Sync>([&] { return has_work() || stop_.load(std::memory_order_acquire); });
    }
    spinning_.fetch_sub(1, std::memory_order_seq_cst);
    return found;
  }

  template <class HasWork>
  void Sleep(const HasWork& has_work) {
    const uint32_t seen = wakes_.load(std::memory_order_seq_cst);
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
    if (!has_work() && !stop_.load(std::memory_order_seq_cst)) {
      Sync::Wait(wakes_, seen, std::chrono::hours(1));
    }
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
  }

  const int workers_, max_spinners_;
  Atomic<bool> stop_{false};
  alignas(64) Atomic<uint32_t> wakes_{0};  // the futex word: a change wakes sleepers
  Atomic<int> sleeping_{0};
  Atomic<int> spinning_{0};
};

using Idle = BasicIdle<RealSync>;

}  // namespace parallel_pool
