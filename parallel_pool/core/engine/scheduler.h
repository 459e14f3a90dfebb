// Who runs the tickets, and how many at a time.
//
//   sender    Send: tickets into the queues (homes.h), wake as many workers as the work pays for
//   worker    claim a chunk -> run it -> look for more -> spin briefly -> sleep
//   receiver  RunOne: in sync pools the receiving thread claims chunks like a worker
//
// A chunk is at most 20 us of work by a running estimate of what a step costs, so that the price
// of a claim (one atomic operation) vanishes for tiny envs, while heavy ones are taken one by one,
// or as many at a time as they prefer (GrantedChunk).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "parallel_pool/core/engine/homes.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// How many envs a thread takes at once where envs prefer chunks of `preferred`: its fair share of
// the `waiting` envs, so that no thread goes idle for it.
inline int64_t GrantedChunk(int preferred, int64_t waiting, int threads) {
  return std::min<int64_t>(preferred, (waiting + threads - 1) / threads);
}

// Runs claimed chunks; called from any thread.
class ChunkRunner {
 public:
  // `tickets` are for at most kMaxChunk envs.
  virtual void Run(std::span<const Ticket> tickets) noexcept = 0;

 protected:
  ~ChunkRunner() = default;
};

class Scheduler {
 public:
  // Hands chunks to `runner` with a thread for each of `cpus`, which says where it may run (none:
  // anywhere). With `caller_works` the first of them is the receiving thread, which stays its own
  // master.
  // `preferred_chunk` is Setup::preferred_chunk().
  Scheduler(ChunkRunner& runner, int num_envs, bool caller_works,
            const std::vector<std::vector<int>>& cpus, int preferred_chunk = 1);
  ~Scheduler() { Stop(); }

  // Sender: hands over tickets for `envs`, whose rows are 0, 1, ... of the batch.
  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset);
  // Receiver, who has waited for long: if anything lies in a queue, all workers come.
  void WakeAllIfWaiting();
  // Claims and runs one chunk in the calling thread; false if no ticket waits.
  bool RunOne(int home = 0);
  // Sender: what `count` envs like those of the last Send cost one thread, by the estimate.
  int64_t EstimateNs(int64_t count) const;
  // Whether the receiver may spin for a batch before it sleeps: not when no core is to spare.
  bool may_spin() const { return idle_.may_spin(); }
  // Ends and joins the workers; tickets that wait are never run.
  void Stop();

 private:
  void Work(int home);
  int ThreadsFor(int64_t envs, bool reset) const;
  int TicketSize(int64_t envs, int threads, bool reset) const;
  int64_t ClaimSize(int64_t waiting, const Ticket& oldest) const;
  int64_t ClaimSizeByCost(int64_t waiting, const Ticket& oldest) const;

  ChunkRunner& runner_;
  const int num_threads_, num_workers_;  // workers: without the caller, if that is a thread
  const int preferred_chunk_;
  Homes homes_;
  bool sent_reset_ = false;  // the last Send
  // Estimates of what one env costs in a step and in a reset; 0: nobody knows yet.
  alignas(64) std::atomic<int64_t> env_ns_[2]{};
  Idle idle_;
  std::vector<std::thread> workers_;
};

}  // namespace parallel_pool
