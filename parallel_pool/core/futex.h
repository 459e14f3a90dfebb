// Sleep until another thread changes a word, with a time limit (std::atomic::wait has none).
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

// Returns when `word` is no longer `seen`, when it is woken, after `limit`, or for no reason.
inline void FutexWait(const std::atomic<uint32_t>& word, uint32_t seen,
                      std::chrono::nanoseconds limit) {
  const timespec timeout{.tv_sec = static_cast<time_t>(limit.count() / 1'000'000'000),
                         .tv_nsec = static_cast<long>(limit.count() % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
}

inline void FutexWake(const std::atomic<uint32_t>& word, int threads = INT_MAX) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace parallel_pool
