#include <windows.h>

#include <algorithm>
#include <thread>

#include "parallel_pool/core/platform/wait.h"

namespace parallel_pool::platform {
namespace {

using Word = std::atomic<uint32_t>;

constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(1);  // a sum with it fits a clock

// The pauses between two looks at a word that processes share.
constexpr std::chrono::nanoseconds kFirstPoll = std::chrono::microseconds(10);
constexpr std::chrono::nanoseconds kPolls = std::chrono::microseconds(200);

void* AddressOf(const Word& word) {
  return const_cast<Word*>(&word);
}

}  // namespace

// The system counts milliseconds. A limit is rounded up: a loop over a short one would not sleep.
void Wait(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(std::min(limit, kLongest));
  WaitOnAddress(AddressOf(word), &seen, sizeof seen, static_cast<DWORD>(milliseconds.count()));
}

void Wake(const Word& word, int threads) {
  if (threads == INT_MAX) return WakeByAddressAll(AddressOf(word));
  for (int i = 0; i < threads; ++i) WakeByAddressSingle(AddressOf(word));
}

// WaitOnAddress knows the sleepers of its own process only, so a sleeper looks at the word again
// and again.
void WaitShared(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::min(limit, kLongest);
  for (auto pause = kFirstPoll; word.load() == seen && Clock::now() < end;
       pause = std::min(2 * pause, kPolls)) {
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, end - Clock::now()));
  }
}

void WakeShared(const Word&) {}

}  // namespace parallel_pool::platform
