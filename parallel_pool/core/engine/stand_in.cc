#include "parallel_pool/core/engine/stand_in.h"

#include <chrono>

#include "parallel_pool/core/engine/wait_for.h"

namespace parallel_pool {
namespace {

constexpr auto kRest = std::chrono::seconds(1);

}  // namespace

bool StandIn::Continue() {
  const std::lock_guard lock(mutex_);
  continue_ = working();
  return continue_;
}

bool StandIn::Start() {
  const std::lock_guard lock(mutex_);
  working_.store(true, std::memory_order_relaxed);
  if (alive_) {
    continue_ = true;
    wake_.notify_one();
    return true;
  }
  if (thread_.joinable()) thread_.join();  // it has ended
  try {
    thread_ = std::thread([this] { Work(); });
    alive_ = true;
  } catch (...) {  // no thread, or no memory for one
    working_.store(false, std::memory_order_relaxed);
  }
  return alive_;
}

void StandIn::Work() {
  for (;;) {
    while (!stopping_ && run_one_()) {}
    std::unique_lock lock(mutex_);
    if (!continue_) {
      working_.store(false, std::memory_order_release);
      wake_.wait_for(lock, kRest, [this] { return continue_ || stopping_; });
    }
    if (!continue_ || stopping_) {
      working_.store(false, std::memory_order_release);
      alive_ = false;
      ended_.notify_all();
      return;
    }
    continue_ = false;
  }
}

bool StandIn::Stop(std::chrono::nanoseconds limit) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
    if (!WaitFor(ended_, lock, limit, [this] { return !alive_; })) return false;
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

}  // namespace parallel_pool
