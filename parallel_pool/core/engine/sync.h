// Synchronization: atomics, and sleep until a word changes (std::atomic::wait has no time limit).
//
// Concurrent classes take these from a policy. The engine's is RealSync; testing/interleave.h has
// one that lets a test choose the order of all accesses.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

namespace parallel_pool {

using Clock = std::chrono::steady_clock;

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

struct RealSync {
  template <class T>
  using Atomic = std::atomic<T>;

  // Returns when `word` is not `seen`, on a wake-up, after `limit`, or spuriously.
  static void FutexWait(const std::atomic<uint32_t>& word, uint32_t seen,
                        std::chrono::nanoseconds limit) {
    const timespec timeout{.tv_sec = static_cast<time_t>(limit.count() / 1'000'000'000),
                           .tv_nsec = static_cast<long>(limit.count() % 1'000'000'000)};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
  }
  // Wakes at most `threads` sleepers. Uses only the address of `word`: its memory may have another
  // owner by now.
  static void FutexWake(const std::atomic<uint32_t>& word, int threads = INT_MAX) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
  }
  // Pauses the processor `times` times, in a loop that waits for another thread.
  static void Pause(int times) {
    for (int i = 0; i < times; ++i) parallel_pool::Pause();
  }
  static Clock::time_point Now() { return Clock::now(); }
};

}  // namespace parallel_pool
