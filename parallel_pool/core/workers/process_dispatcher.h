// The dispatcher of a pool whose envs are in worker processes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/dispatcher.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/engine/pool_host.h"
#include "parallel_pool/core/engine/rows.h"
#include "parallel_pool/core/engine/runner.h"
#include "parallel_pool/core/workers/link.h"
#include "parallel_pool/core/workers/processes.h"

namespace parallel_pool {

// Hands tickets to the workers, collects what they have done, and fails what a dead one has not.
class ProcessDispatcher final : public Dispatcher, private RowTaker {
 public:
  ProcessDispatcher(WorkerHost& processes, const PoolView& parts)
      : processes_(processes),
        parts_(parts),
        link_(*processes.link_),
        lanes_(processes.lanes_),
        owners_(processes.memory_->At<std::atomic<uint64_t>>(link_.owners)),
        sync_(parts.options.batch_size == parts.options.num_envs),
        collected_(processes.num_workers_),
        progress_(processes.num_workers_),
        since_(processes.num_workers_),
        runner_(parts.options, parts.layout, *this, 1,
                {.group = &parts.group,
                 .actions = parts.actions.rows(),
                 .states = parts.states,
                 .episodes = parts.episodes}) {
    for (int k = 0; k < processes.num_workers_; ++k) {
      worker_of_.resize(lanes_[k].first_env + lanes_[k].num_envs, k);
    }
  }
  ~ProcessDispatcher() override { Stop(kForever); }

  void Add(uint64_t number, const Batch& batch) override;
  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset) override;
  bool Await(Batch& batch, std::chrono::nanoseconds limit) override;
  void Skip(uint64_t first, uint64_t count) override;
  // Steps in other processes always let the caller release its lock.
  int64_t EstimateNs(int64_t) const override { return INT64_MAX; }
  bool Stop(std::chrono::nanoseconds limit) override;

 private:
  uint64_t Take(int) override { return row_; }
  BatchRows& At(uint64_t number) override { return parts_.batches.At(number); }
  void Finish(BatchRows& batch, int count) override { parts_.batches.Finish(batch, count); }
  void Fail(BatchRows& batch, int row) override { parts_.batches.Fail(batch, row); }

  Ticket& TicketAt(int worker, uint64_t position) {
    const WorkerQueue& lane = lanes_[worker];
    return processes_.memory_->At<Ticket>(lane.tickets)[position & lane.mask];
  }
  void Publish(int worker);
  void Collect();
  void CollectFrom(int worker);
  bool MaySpin() const;
  void Sleep(const Batch& batch, std::chrono::nanoseconds limit);
  void CheckWorkers();
  std::shared_ptr<const platform::ProcessWatch> Ended(int k, std::string* why);
  void FailRest(int worker);
  uint64_t RowFor(int worker);

  WorkerHost& processes_;
  const PoolView parts_;
  SharedHeader& link_;
  WorkerQueue* const lanes_;
  std::atomic<uint64_t>* const owners_;
  const bool sync_;
  std::vector<int> worker_of_;       // of each env
  std::vector<uint64_t> collected_;  // tickets of each worker
  uint64_t all_collected_ = 0;
  // The work that each worker has done, tickets and messages, and since when no check has seen more
  // of it; or since it got a ticket after none.
  std::vector<uint64_t> progress_;
  std::vector<Clock::time_point> since_;
  Clock::time_point checked_{};  // when the workers were last checked
  uint64_t row_ = 0;             // what Take returns
  SpinBackoff backoff_;
  Runner runner_;
};

}  // namespace parallel_pool
