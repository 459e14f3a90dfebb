// Synchronization: atomics, and sleep until a word changes (std::atomic::wait has no time limit).
//
// Concurrent classes take these from a policy. The engine's is RealSync; testing/interleave.h has
// one that lets a test choose the order of all accesses.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

#include "parallel_pool/core/platform/wait.h"

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

  // platform::Wait and platform::Wake.
  static void Wait(const std::atomic<uint32_t>& word, uint32_t seen,
                   std::chrono::nanoseconds limit) {
    platform::Wait(word, seen, limit);
  }
  static void Wake(const std::atomic<uint32_t>& word, int threads = INT_MAX) {
    platform::Wake(word, threads);
  }
  // Pauses the processor `times` times, in a loop that waits for another thread.
  static void Pause(int times) {
    for (int i = 0; i < times; ++i) parallel_pool::Pause();
  }
  static Clock::time_point Now() { return Clock::now(); }
};

}  // namespace parallel_pool
