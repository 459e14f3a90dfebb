#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "parallel_pool/core/platform/wait.h"

namespace parallel_pool::platform {

namespace {

void Sleep(int operation, const std::atomic<uint32_t>& word, uint32_t seen,
           std::chrono::nanoseconds limit) {
  const timespec timeout{.tv_sec = static_cast<time_t>(limit.count() / 1'000'000'000),
                         .tv_nsec = static_cast<long>(limit.count() % 1'000'000'000)};
  syscall(SYS_futex, &word, operation, seen, &timeout, nullptr, 0);
}

}  // namespace

void Wait(const std::atomic<uint32_t>& word, uint32_t seen, std::chrono::nanoseconds limit) {
  Sleep(FUTEX_WAIT_PRIVATE, word, seen, limit);
}

void Wake(const std::atomic<uint32_t>& word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

void WaitShared(const std::atomic<uint32_t>& word, uint32_t seen, std::chrono::nanoseconds limit) {
  Sleep(FUTEX_WAIT, word, seen, limit);
}

void WakeShared(const std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace parallel_pool::platform
