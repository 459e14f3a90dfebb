// Who runs the tickets, and how many at a time.
//
//   sender    Send: publish tickets, wake as many workers as the work pays for
//   worker    claim a chunk -> run it -> look for more -> spin briefly -> sleep
//   receiver  RunOne: in sync pools the receiving thread claims chunks like a worker
//
// A chunk is about 20 us of work by a running estimate of what a step costs, so that the price of
// a claim (one atomic operation) vanishes for tiny envs, while heavy ones are taken one by one.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "parallel_pool/core/idle.h"
#include "parallel_pool/core/ticket_queue.h"

namespace parallel_pool {

inline constexpr int kMaxChunk = 256;

// What a claimed chunk is handed to; called from any thread.
class ChunkRunner {
 public:
  // tickets[0] has position `position` among all tickets ever sent; 1 <= count <= kMaxChunk.
  virtual void Run(const Ticket* tickets, int count, uint64_t position) noexcept = 0;

 protected:
  ~ChunkRunner() = default;
};

class Scheduler {
 public:
  // Starts `num_workers` threads that hand chunks to `runner`; with `caller_works` the receiving
  // thread is one more. Worker i is pinned to cpus[i % size] unless that is empty. At most
  // `capacity` tickets wait at any time.
  Scheduler(ChunkRunner& runner, int64_t capacity, int num_workers, bool caller_works,
            const std::vector<int>& cpus);
  ~Scheduler() { Stop(); }

  TicketQueue& queue() { return queue_; }
  // Sender: publishes the `count` tickets that were Put.
  void Send(int64_t count);
  // Claims and runs one chunk in the calling thread; false if no ticket waits.
  bool RunOne();
  // What running `count` tickets costs one thread, by the estimate.
  int64_t EstimateNs(int64_t count) const {
    return count * step_ns_.load(std::memory_order_relaxed);
  }
  // How long the receiver may spin for a batch before it sleeps: 0 when no core is to spare.
  int64_t spin_ns() const;
  // Ends and joins the workers; tickets that wait are never run.
  void Stop();

 private:
  void Work();
  void Wake(int64_t waiting);
  int ChunkSize(int64_t waiting) const;

  ChunkRunner& runner_;
  TicketQueue queue_;
  const int num_workers_;
  const bool caller_works_;
  alignas(64) std::atomic<int64_t> step_ns_{0};  // estimate of one env-step
  Idle idle_;
  std::vector<std::thread> workers_;
};

}  // namespace parallel_pool
