// The functions of the kernel on which libc++ builds std::atomic::wait, since macOS 11.
#include <cerrno>

#include "parallel_pool/core/platform/wait.h"

extern "C" {
int __ulock_wait2(uint32_t operation, void* address, uint64_t value, uint64_t timeout_ns,
                  uint64_t reserved);
int __ulock_wake(uint32_t operation, void* address, uint64_t value);
}

namespace parallel_pool::platform {
namespace {

using Word = std::atomic<uint32_t>;

// Operations: compare 32 bits and wait, in one process or in all that share the memory.
constexpr uint32_t kPrivate = 1, kShared = 3;
// Flags: to wake all sleepers instead of one, and to return an error instead of setting errno.
constexpr uint32_t kAll = 0x100, kNoErrno = 0x1000000;

void Sleep(uint32_t operation, const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
  if (limit.count() <= 0) return;  // 0 would be no limit
  __ulock_wait2(operation | kNoErrno, const_cast<Word*>(&word), seen,
                static_cast<uint64_t>(limit.count()), 0);
}

int WakeUp(uint32_t operation, const Word& word) {
  return __ulock_wake(operation | kNoErrno, const_cast<Word*>(&word), 0);
}

}  // namespace

void Wait(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
  Sleep(kPrivate, word, seen, limit);
}

void Wake(const Word& word, int threads) {
  if (threads == INT_MAX) {
    WakeUp(kPrivate | kAll, word);
    return;
  }
  while (threads > 0) {
    const int status = WakeUp(kPrivate, word);
    if (status == -ENOENT) return;  // no one sleeps
    if (status != -EINTR) --threads;
  }
}

void WaitShared(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
  Sleep(kShared, word, seen, limit);
}

void WakeShared(const Word& word) {
  WakeUp(kShared | kAll, word);
}

}  // namespace parallel_pool::platform
