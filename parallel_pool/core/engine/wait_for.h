// Waits on a condition variable with a time limit, of which the largest means none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace parallel_pool {

// Whether `holds` within `limit`.
template <class Holds>
bool WaitFor(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
             std::chrono::nanoseconds limit, const Holds& holds) {
  if (limit != std::chrono::nanoseconds::max()) return changed.wait_for(lock, limit, holds);
  changed.wait(lock, holds);
  return true;
}

}  // namespace parallel_pool
