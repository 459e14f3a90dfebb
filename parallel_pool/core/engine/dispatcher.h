// Has the tickets of a pool run: by threads of this process (scheduler.h), or by other processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/chunk_runner.h"

namespace parallel_pool {

inline constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

class Dispatcher {
 public:
  virtual ~Dispatcher() = default;

  // Sender: a batch can have rows from now on; `number` is that of its tickets.
  virtual void Add([[maybe_unused]] uint64_t number, [[maybe_unused]] const Batch& batch) {}
  // Sender: queues tickets for `envs`, whose rows are 0, 1, ... of the batch in sync pools.
  virtual void Send(std::span<const int32_t> envs, uint32_t batch, bool reset) = 0;
  // Receiver: returns whether the batch is ready within `limit`. May run envs meanwhile.
  virtual bool Await(Batch& batch, std::chrono::nanoseconds limit) = 0;
  // Async pools, while nothing runs: no env takes the `count` rows from `first` on.
  virtual void Skip([[maybe_unused]] uint64_t first, [[maybe_unused]] uint64_t count) {}
  // Any thread, where tickets are run in this process: `runner` runs them from the next one on.
  virtual void SetRunner([[maybe_unused]] ChunkRunner& runner) {}
  // Sender: the estimated time that `count` envs like those of the last Send take one thread.
  virtual int64_t EstimateNs(int64_t count) const = 0;
  // Ends the threads or processes; nothing waits for a batch any more. False: a thread was still in
  // a step after `limit`. Then all must live on, and Stop may be called again.
  virtual bool Stop(std::chrono::nanoseconds limit) = 0;
};

}  // namespace parallel_pool
