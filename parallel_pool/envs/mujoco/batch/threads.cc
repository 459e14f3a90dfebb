#include "parallel_pool/envs/mujoco/batch/threads.h"

#include <chrono>

namespace parallel_pool::mujoco {
namespace {

// A thread that is woken needs 50 us and more, which is the time of a short call. So threads look
// for a while before they sleep. Returns whether `is_true` has become true.
template <class F>
bool Becomes(const F& is_true) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
  do {
    for (int i = 0; i < 64; ++i) {
      if (is_true()) return true;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return is_true();
}

}  // namespace

Threads::Threads(int size) {
  for (int i = 1; i < size; ++i) threads_.emplace_back([this] { Work(); });
}

Threads::~Threads() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    ++call_;
  }
  begins_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Threads::Run(int n, const std::function<void(int)>& part) {
  if (n <= 1 || threads_.empty()) {
    for (int i = 0; i < n; ++i) part(i);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    next_ = 0;
    part_ = &part;
    size_ = n;
    busy_ = static_cast<int>(threads_.size());
    ++call_;
  }
  begins_.notify_all();
  TakeParts(part, n);
  if (Becomes([this] { return busy_ == 0; })) return;
  std::unique_lock lock(mutex_);
  ends_.wait(lock, [this] { return busy_ == 0; });
}

void Threads::Work() {
  for (int64_t done = 0;; ++done) {
    const auto begins = [&] { return call_ != done; };
    if (!Becomes(begins)) {
      std::unique_lock lock(mutex_);
      begins_.wait(lock, begins);
    }
    {
      const std::lock_guard lock(mutex_);  // what the caller has written before
      if (stops_) return;
    }
    TakeParts(*part_, size_);
    if (--busy_ == 0) {
      const std::lock_guard lock(mutex_);
      ends_.notify_one();
    }
  }
}

void Threads::TakeParts(const std::function<void(int)>& part, int n) {
  for (int i = next_++; i < n; i = next_++) part(i);
}

}  // namespace parallel_pool::mujoco
