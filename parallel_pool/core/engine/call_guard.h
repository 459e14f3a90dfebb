// Keeps a second call out of a part of a pool that one thread at a time may use.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

namespace parallel_pool {

// Admits one call at a time: throws std::runtime_error with task + what if another call has set
// `busy`, else sets it until destroyed.
class CallGuard {
 public:
  CallGuard(std::atomic<bool>* busy, const std::string& task, const char* what) : busy_(busy) {
    if (busy->exchange(true, std::memory_order_acquire)) throw std::runtime_error(task + what);
  }
  ~CallGuard() { busy_->store(false, std::memory_order_release); }
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

 private:
  std::atomic<bool>* const busy_;
};

// The parts of a pool that one thread at a time may use.
struct Callers {
  std::atomic<bool> sending{false};
  std::atomic<bool> receiving{false};
};

inline constexpr char kSending[] =
    ": another call is sending to this pool, saving, loading or rendering";
inline constexpr char kReceiving[] = ": another thread is in recv() of this pool";
inline constexpr char kClosed[] = ": the pool is closed";
inline constexpr char kBeforeFork[] =
    ": this pool was made before a fork() and its threads are in the parent process: make the pool "
    "in the child";

}  // namespace parallel_pool
