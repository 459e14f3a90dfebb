// Keeps a second call out of a part of a pool that one thread at a time may use.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

namespace parallel_pool {

// Admits one call at a time: throws std::runtime_error with task + what if another call has set
// `busy`, else sets it until destroyed. Constructed and destroyed with the GIL held.
class CallGuard {
 public:
  CallGuard(std::atomic<bool>* busy, const std::string& task, const char* what) : busy_(busy) {
    if (*busy) throw std::runtime_error(task + what);
    busy_->store(true, std::memory_order_relaxed);
  }
  ~CallGuard() { busy_->store(false, std::memory_order_release); }
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

 private:
  std::atomic<bool>* const busy_;
};

}  // namespace parallel_pool
