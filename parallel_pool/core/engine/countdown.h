// One thread waits until others have finished a number of rows, then uses the Countdown again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "parallel_pool/core/engine/sync.h"

namespace parallel_pool {

template <class Sync>
class BasicCountdown {
 public:
  // Begins a round of `count`. No other thread may use the Countdown yet; publishing it with
  // release order makes the count visible to them.
  void Start(int count) {
    remaining_.store(count, std::memory_order_relaxed);
    state_.store(kPending, std::memory_order_relaxed);
  }
  // Any thread: counts down; `count` more are finished.
  void Finish(int count) {
    if (remaining_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    // After this exchange the Countdown belongs to the waiting thread, which may Start it again at
    // once. A wake-up that comes later is only a spurious one.
    if (state_.exchange(kDone, std::memory_order_acq_rel) == kAwaited) Sync::Wake(state_);
  }
  // The caller sees all that was finished.
  int remaining() const { return remaining_.load(std::memory_order_acquire); }
  bool done() const { return state_.load(std::memory_order_acquire) == kDone; }
  // Sleeps until done(), at most for `limit`. Returns done(). One thread at a time.
  bool Wait(std::chrono::nanoseconds limit) {
    const auto deadline = Sync::Now() + limit;
    uint32_t pending = kPending;
    state_.compare_exchange_strong(pending, kAwaited, std::memory_order_acq_rel);
    while (!done()) {
      const auto left = deadline - Sync::Now();
      if (left.count() <= 0) return false;
      Sync::Wait(state_, kAwaited, left);
    }
    return true;
  }

 private:
  static constexpr uint32_t kPending = 0, kAwaited = 1, kDone = 2;

  alignas(64) typename Sync::template Atomic<int> remaining_{0};
  alignas(64) typename Sync::template Atomic<uint32_t> state_{kPending};
};

using Countdown = BasicCountdown<RealSync>;

}  // namespace parallel_pool
