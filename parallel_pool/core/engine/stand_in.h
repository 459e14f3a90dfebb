// A thread that runs chunks in place of a sync pool's receiver.
//
// The receiver runs cheap chunks itself, because that is faster than waking a thread. But while it
// runs a chunk, it can neither keep its time limit nor answer a signal. So this thread runs the
// chunks that may take long, and the receiver waits. The thread stays for a second after its last
// chunk, because envs may have data of each thread, such as a rendering context.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace parallel_pool {

class StandIn {
 public:
  // `run_one` runs one chunk; false if no ticket waits.
  explicit StandIn(std::function<bool()> run_one) : run_one_(std::move(run_one)) {}
  ~StandIn() { Stop(std::chrono::nanoseconds::max()); }

  // Whether the thread may run a chunk. If not, all that it wrote is visible to the caller.
  bool working() const { return working_.load(std::memory_order_acquire); }
  // Receiver: the thread, if it is working, looks for tickets once more before it rests. Returns
  // working().
  bool Continue();
  // Receiver, if the thread is not working: it looks for tickets. False if the system refuses a
  // thread.
  bool Start();
  // Lets the thread end after its chunk, and joins it; false if it has not ended within `limit`.
  bool Stop(std::chrono::nanoseconds limit);

 private:
  void Work();

  const std::function<bool()> run_one_;
  std::mutex mutex_;  // guards alive_ and continue_
  std::condition_variable wake_, ended_;
  bool alive_ = false, continue_ = false;
  std::atomic<bool> working_{false}, stopping_{false};
  std::thread thread_;
};

}  // namespace parallel_pool
