// The side of a worker process: it takes tickets, steps its envs and writes their rows.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/engine/rows.h"
#include "parallel_pool/core/engine/runner.h"
#include "parallel_pool/core/workers/link.h"
#include "parallel_pool/core/workers/shared_memory.h"

namespace parallel_pool {

class PoolWorker final : private RowTaker {
 public:
  // `file`: see SharedMemory. `setup` and `options` are the pool's. `group` has all envs of the
  // pool, of which the worker runs its own. Throws std::runtime_error if the memory cannot be
  // mapped.
  PoolWorker(int file, int number, std::shared_ptr<const Setup> setup, PoolOptions options,
             std::unique_ptr<EnvGroup> group);

  int32_t first_env() const { return lane_.first_env; }
  int32_t num_envs() const { return lane_.num_envs; }

  bool stopped() const { return link_.stop.load(std::memory_order_seq_cst) != 0; }
  // Waits for a ticket or a message; false if the pool is closed.
  bool Wait();
  bool has_ticket() const {
    return lane_.sent.load(std::memory_order_seq_cst) != lane_.done.load(std::memory_order_relaxed);
  }
  bool has_message() const {
    return lane_.messages.load(std::memory_order_seq_cst) !=
           lane_.answered.load(std::memory_order_relaxed);
  }
  // Whether a message is to be answered now: the tickets that were sent before it are done.
  bool MessageIsNext();
  // The message was answered.
  void EndMessage();
  // Runs the oldest ticket. There must be one.
  void DoOldest() noexcept;

 private:
  // A batch of the pool, in this process.
  struct View : BatchRows {
    void Show(const SharedBatch& batch, const SharedMemory& memory,
              const std::vector<Column>& columns);

    uint64_t block = kNever;
    int32_t capacity = 0;
  };

  uint64_t Take(int count) override;
  BatchRows& At(uint64_t number) override;
  void Finish(BatchRows&, int) override {}  // the store of `done` finishes a row
  void Fail(BatchRows&, int) override { record_.failed = 1; }

  bool has_work() const { return has_ticket() || has_message(); }
  bool MaySpin() const;

  SharedMemory memory_;
  SharedHeader& link_;
  const int number_;
  WorkerQueue* const lanes_;
  WorkerQueue& lane_;
  const Ticket* const tickets_;
  TicketResult* const records_;
  std::atomic<uint64_t>* const owners_;
  SharedSeed* const seeds_;
  char* const errors_;

  const std::shared_ptr<const Setup> setup_;
  const PoolOptions options_;
  const BatchLayout layout_;
  const std::unique_ptr<EnvGroup> group_;
  std::vector<std::byte*> actions_;
  std::vector<View> views_;          // of each batch
  TicketResult record_{};            // of the ticket that is done now
  uint64_t message_after_ = kNever;  // the number of tickets to do before the message
  SpinBackoff backoff_;
  Runner runner_;
};

}  // namespace parallel_pool
