// Keeps a second call out of a part of a pool that one thread at a time may use.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace parallel_pool {

// The thread whose call uses a part of a pool; thread::id() if there is none.
using Caller = std::atomic<std::thread::id>;

// Admits one call at a time: throws std::runtime_error with task + what if there is a caller, else
// this thread is the caller until destroyed.
class CallGuard {
 public:
  CallGuard(Caller* caller, const std::string& task, const char* what) : caller_(caller) {
    std::thread::id none;
    if (!caller->compare_exchange_strong(none, std::this_thread::get_id(),
                                         std::memory_order_acquire)) {
      throw std::runtime_error(task + what);
    }
  }
  ~CallGuard() { caller_->store(std::thread::id(), std::memory_order_release); }
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

 private:
  Caller* const caller_;
};

// The parts of a pool that one thread at a time may use.
struct Callers {
  Caller sending{};
  Caller receiving{};
};

inline constexpr char kSending[] =
    ": another call is sending to this pool, saving, loading or rendering";
inline constexpr char kReceiving[] = ": another thread is in recv() of this pool";
inline constexpr char kClosedByAnEnv[] =
    ": close() in the middle of a step of this thread, by an env or by a handler of a signal: "
    "raise "
    "an exception there, and close the pool after the call";
inline constexpr char kClosed[] = ": the pool is closed";
inline constexpr char kBeforeFork[] =
    ": this pool was made before a fork() and its threads are in the parent process: make the pool "
    "in the child";

}  // namespace parallel_pool
