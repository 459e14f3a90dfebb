#include "parallel_pool/core/platform/wait.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace parallel_pool::platform {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using Word = std::atomic<uint32_t>;

// Both pairs of functions.
struct Private {
  static void Sleep(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
    Wait(word, seen, limit);
  }
  static void Ring(const Word& word) { Wake(word); }
};
struct Shared {
  static void Sleep(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
    WaitShared(word, seen, limit);
  }
  static void Ring(const Word& word) { WakeShared(word); }
};

template <class Words>
struct WaitTest : testing::Test {};
using Both = testing::Types<Private, Shared>;
TYPED_TEST_SUITE(WaitTest, Both);

TYPED_TEST(WaitTest, ReturnsIfTheWordHasChanged) {
  const Word word = 1;
  TypeParam::Sleep(word, 0, hours(1));
}

TYPED_TEST(WaitTest, ReturnsAfterTheLimit) {
  const Word word = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < begin + milliseconds(20)) {
    TypeParam::Sleep(word, 0, milliseconds(20));  // may also return spuriously
  }
  TypeParam::Sleep(word, 0, {});
}

// Two threads take turns: a wake-up that is lost ends the test by its time limit.
TYPED_TEST(WaitTest, NoWakeUpIsLost) {
  constexpr uint32_t kTurns = 2000;
  Word word = 0;
  const auto play = [&](uint32_t own) {
    for (uint32_t turn = own; turn < kTurns; turn += 2) {
      for (uint32_t now = word; now != turn; now = word) TypeParam::Sleep(word, now, hours(1));
      word = turn + 1;
      TypeParam::Ring(word);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(word, kTurns);
}

// Sleepers on many words, so that some share what the portable form keeps.
TEST(Wait, EachWordWakesItsOwnSleepers) {
  std::array<Word, 200> words{};
  std::atomic<int> awake = 0;
  std::vector<std::thread> threads;
  for (Word& word : words) {
    threads.emplace_back([&] {
      while (word == 0) Wait(word, 0, hours(1));
      ++awake;
    });
  }
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = 1;
    Wake(words[i]);
    while (awake != static_cast<int>(i) + 1) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
}

TYPED_TEST(WaitTest, WakesAllSleepers) {
  Word word = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      while (word == 0) TypeParam::Sleep(word, 0, hours(1));
    });
  }
  std::this_thread::sleep_for(milliseconds(20));
  word = 1;
  TypeParam::Ring(word);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace parallel_pool::platform
