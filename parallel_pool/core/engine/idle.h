// What a worker does between two pieces of work: it spins for a while, then sleeps.
//
// Whoever brings work publishes it first and calls Wake second. A worker announces itself first
// (spinning_, sleeping_) and looks for work second. All four are sequentially consistent, so that
// one of the two sees the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "parallel_pool/core/engine/sync.h"

namespace parallel_pool {

// Whether a thread that waits shall spin for a while before it sleeps: while that pays. When it
// did not, the thread sleeps at once the next time; then the next 2 times, 4, ... at most 64.
class SpinBackoff {
 public:
  // True as soon as done() is; false if it was not for as long as a sleep and a wake-up cost, or
  // if it is not to spin now.
  template <class Sync, class Done>
  bool Spin(const Done& done) {
    if (sleeps_left_ > 0) {
      --sleeps_left_;
      return false;
    }
    for (const auto deadline = Sync::Now() + kPark; Sync::Now() < deadline;) {
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

  int sleeps_ = 0, sleeps_left_ = 0;  // between two spins: how many, and how many still
};

template <class Sync>
class BasicIdle {
 public:
  // For `workers` threads, of which at most `max_spinners` spin at the same time.
  BasicIdle(int workers, int max_spinners) : workers_(workers), max_spinners_(max_spinners) {}

  // Worker: calls run_one(), which says whether there was work, until Stop(). has_work() is
  // sequentially consistent.
  template <class RunOne, class HasWork>
  void Work(const RunOne& run_one, const HasWork& has_work) {
    SpinBackoff backoff;
    while (!stop_.load(std::memory_order_acquire)) {
      if (!run_one() && !Spin(&backoff, has_work)) Sleep(has_work);
    }
  }

  // Any thread, after publishing work: as many as `wanted` workers shall be awake, those who run
  // something now among them: they will look for more.
  void Wake(int64_t wanted) {
    const int sleeping = sleeping_.load(std::memory_order_seq_cst);
    wanted = std::min<int64_t>(wanted - (workers_ - sleeping), sleeping);
    if (wanted <= 0) return;
    wakes_.fetch_add(1, std::memory_order_seq_cst);
    Sync::FutexWake(wakes_, static_cast<int>(wanted));
  }
  bool may_spin() const { return max_spinners_ > 0; }
  bool anyone_sleeps() const { return sleeping_.load(std::memory_order_relaxed) > 0; }

  // Every Work() returns.
  void Stop() {
    stop_.store(true, std::memory_order_seq_cst);
    wakes_.fetch_add(1, std::memory_order_seq_cst);
    Sync::FutexWake(wakes_);
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
      Sync::FutexWait(wakes_, seen, std::chrono::hours(1));
    }
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
  }

  const int workers_, max_spinners_;
  Atomic<bool> stop_{false};
  alignas(64) Atomic<uint32_t> wakes_{0};  // changed to wake sleepers
  Atomic<int> sleeping_{0};
  Atomic<int> spinning_{0};
};

using Idle = BasicIdle<RealSync>;

}  // namespace parallel_pool
