#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <new>
#include <thread>

#include "parallel_pool/core/platform/wait.h"

namespace parallel_pool::platform {
namespace {

using Word = std::atomic<uint32_t>;

// A thread that sleeps, in the ring of its bucket. It lies on the thread's stack, because calls of
// a pool allocate nothing.
struct Sleeper {
  const Word* word = nullptr;
  std::condition_variable wake_up = {};
  Sleeper *before = this, *next = this;

  bool is_alone() const { return next == this; }
  void Leave() {
    before->next = next;
    next->before = before;
    before = next = this;
  }
};

// Words share buckets, so that each costs nothing while no thread sleeps on it.
struct Bucket {
  std::mutex mutex;
  Sleeper ring;  // no thread; the one that came first is its next
};

constexpr size_t kBuckets = 64;
constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(1);  // a sum with it fits a clock

// The pauses between two looks at a word that processes share: an eighth of the time waited so far.
constexpr std::chrono::nanoseconds kShortestPause = std::chrono::microseconds(10);
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::milliseconds(5);

// The buckets are never destroyed: a thread may sleep while the process ends.
Bucket& BucketOf(const Word* word) {
  alignas(Bucket) static std::byte memory[kBuckets * sizeof(Bucket)];
  static auto* const buckets = new (memory) Bucket[kBuckets];
  return buckets[std::hash<const Word*>()(word) / alignof(std::max_align_t) % kBuckets];
}

}  // namespace

// A thread changes the word first and calls Wake second, which takes the mutex. So this thread sees
// the change, or is in the ring when Wake reads it.
void Wait(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
  Bucket& bucket = BucketOf(&word);
  Sleeper self;
  self.word = &word;
  std::unique_lock lock(bucket.mutex);
  if (word.load() != seen) return;
  self.next = &bucket.ring;
  self.before = bucket.ring.before;
  self.before->next = self.next->before = &self;
  self.wake_up.wait_for(lock, std::min(limit, kLongest), [&] { return self.is_alone(); });
  self.Leave();
}

void Wake(const Word& word, int threads) {
  Bucket& bucket = BucketOf(&word);
  const std::lock_guard lock(bucket.mutex);
  for (Sleeper* sleeper = bucket.ring.next; sleeper != &bucket.ring && threads > 0;) {
    Sleeper& found = *sleeper;
    sleeper = sleeper->next;
    if (found.word != &word) continue;
    found.Leave();  // which is what it waits for
    found.wake_up.notify_one();
    --threads;
  }
}

// No sleeper of another process can be found, so a sleeper looks at the word again and again.
void WaitShared(const Word& word, uint32_t seen, std::chrono::nanoseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now(), end = begin + std::min(limit, kLongest);
  for (auto now = begin; word.load() == seen && now < end; now = Clock::now()) {
    const std::chrono::nanoseconds pause =
        std::clamp<std::chrono::nanoseconds>((now - begin) / 8, kShortestPause, kLongestPause);
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, end - now));
  }
}

void WakeShared(const Word&) {}

}  // namespace parallel_pool::platform
