// Threads that run tickets, and the size of their chunks.
//
//   sender    Send: tickets into the queues (homes.h), wake as many workers as the work is worth
//   worker    claim a chunk -> run it -> look for more -> spin briefly -> sleep
//   receiver  Help: in sync pools the receiving thread claims cheap chunks like a worker
//
// A chunk holds at most 20 us of work. The cost of a step is a running average; resets have their
// own. So the cost of a claim (one atomic operation) is small for cheap envs, while expensive envs
// are claimed one by one, or in chunks of the size that they prefer (GrantedChunk).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "parallel_pool/core/engine/chunk_runner.h"
#include "parallel_pool/core/engine/dispatcher.h"
#include "parallel_pool/core/engine/homes.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/engine/stand_in.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The number of envs that a thread claims at once if envs prefer chunks of `preferred`: at most its
// fair share of the `waiting` envs, so that no thread goes idle for it. `free_threads` is the
// number of threads that run no chunk now, this thread included.
inline int64_t GrantedChunk(int preferred, int64_t waiting, int free_threads) {
  const int threads = std::max(free_threads, 1);
  return std::min<int64_t>(preferred, (waiting + threads - 1) / threads);
}

class Scheduler final : public Dispatcher {
 public:
  // Runs chunks by `runner`, with a thread for each element of `cpus`: the processors that it may
  // run on (none: any). With `caller_works` the first thread is the receiving one. It is never
  // pinned, because it belongs to the user. `preferred_chunk` is Setup::preferred_chunk().
  Scheduler(ChunkRunner& runner, int num_envs, bool caller_works,
            const std::vector<std::vector<int>>& cpus, int preferred_chunk = 1);
  ~Scheduler() override { Stop(kForever); }

  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset) override;
  bool Await(Batch& batch, std::chrono::nanoseconds limit) override;
  // Receiver, after a long wait: if tickets wait, wakes all workers.
  void WakeAllIfWaiting();
  // Receiver, with `caller_works`: claims and runs one chunk in the calling thread, if one waits
  // that takes at most 10 ms by the estimate. Chunks that may take longer go to another thread.
  // Returns whether it ran one.
  bool Help();
  // Claims and runs one chunk in the calling thread; false if no ticket waits.
  bool RunOne(int home = 0);
  int64_t EstimateNs(int64_t count) const override;
  void SetRunner(ChunkRunner& runner) override {
    runner_.store(&runner, std::memory_order_release);
  }
  // Joins the threads; tickets that wait are never run.
  bool Stop(std::chrono::nanoseconds limit) override;

 private:
  void Work(int home);
  bool Run(int home, bool cheap_only);
  bool ClaimAndRun(int home, bool cheap_only);
  bool MayBeLong(const Ticket& oldest) const;
  int ThreadsFor(int64_t envs, bool reset) const;
  int TicketSize(int64_t envs, int threads, bool reset) const;
  int64_t ClaimSize(int64_t waiting, const Ticket& oldest) const;
  int64_t ClaimSizeByCost(int64_t waiting, const Ticket& oldest) const;

  std::atomic<ChunkRunner*> runner_;
  const int num_threads_, num_workers_;  // workers: without the caller, if that is a thread
  const int preferred_chunk_;
  Homes homes_;
  bool sent_reset_ = false;  // of the last Send
  SpinBackoff backoff_;      // the receiver's
  // Running averages of the cost of one env's step and of its reset; 0: not measured yet.
  alignas(64) std::atomic<int64_t> env_ns_[2]{};
  std::atomic<int> running_{0};  // threads in RunOne; not counted if preferred_chunk_ is 1
  Idle idle_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;  // of the rest
  std::condition_variable ended_;
  int live_ = 0;                                   // workers
  StandIn stand_in_{[this] { return RunOne(); }};  // the receiver's
};

}  // namespace parallel_pool
