#include "parallel_pool/core/engine/stand_in.h"

namespace parallel_pool {

bool StandIn::Continue() {
  const std::lock_guard lock(mutex_);
  continue_ = working();
  return continue_;
}

bool StandIn::Start() {
  if (thread_.joinable()) thread_.join();  // it has ended
  continue_ = false;
  working_.store(true, std::memory_order_relaxed);
  try {
    thread_ = std::thread([this] { Work(); });
    return true;
  } catch (...) {  // no thread, or no memory for one
    working_.store(false, std::memory_order_relaxed);
    return false;
  }
}

void StandIn::Work() {
  for (;;) {
    while (!stopping_ && run_one_()) {}
    const std::lock_guard lock(mutex_);
    if (!continue_ || stopping_) {
      working_.store(false, std::memory_order_release);
      return;
    }
    continue_ = false;
  }
}

void StandIn::Stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace parallel_pool
