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

#include "parallel_pool/core/sync.h"

namespace parallel_pool {

template <class Sync>
class BasicIdle {
 public:
  // At most `max_spinners` threads spin at the same time.
  explicit BasicIdle(int max_spinners) : max_spinners_(max_spinners) {}

  // Worker: calls run_one(), which says whether there was work, until Stop(). has_work() is
  // sequentially consistent.
  template <class RunOne, class HasWork>
  void Work(const RunOne& run_one, const HasWork& has_work) {
    std::chrono::nanoseconds spin = kPark;
    while (!stop_.load(std::memory_order_acquire)) {
      if (run_one()) continue;
      // Spin for about as long as it has paid lately.
      if (Spin(spin, has_work)) {
        spin = std::min(2 * spin, kPark);
      } else {
        spin = std::max(spin / 2, kMinSpin);
        Sleep(has_work);
      }
    }
  }

  // Any thread, after publishing `waiting` pieces of work: `wanted` workers, those who spin among
  // them, shall look for it.
  void Wake(int64_t wanted, int64_t waiting) {
    wanted -= spinning_.load(std::memory_order_seq_cst);
    wanted = std::min<int64_t>({wanted, waiting, sleeping_.load(std::memory_order_seq_cst)});
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

  static constexpr std::chrono::nanoseconds kPark{30'000};  // about what a sleep and a wake-up cost

 private:
  template <class T>
  using Atomic = typename Sync::template Atomic<T>;

  static constexpr std::chrono::nanoseconds kMinSpin{1'000};  // for whom spinning does not pay

  template <class HasWork>
  bool Spin(std::chrono::nanoseconds limit, const HasWork& has_work) {
    bool found = false;
    if (spinning_.fetch_add(1, std::memory_order_seq_cst) < max_spinners_) {
      for (const auto deadline = Sync::Now() + limit; !found && Sync::Now() < deadline;) {
        Sync::Pause(16);
        found = has_work() || stop_.load(std::memory_order_acquire);
      }
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

  const int max_spinners_;
  Atomic<bool> stop_{false};
  alignas(64) Atomic<uint32_t> wakes_{0};  // changed to wake sleepers
  Atomic<int> sleeping_{0};
  Atomic<int> spinning_{0};
};

using Idle = BasicIdle<RealSync>;

}  // namespace parallel_pool
