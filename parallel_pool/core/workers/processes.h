// The side of the pool: it hands tickets to worker processes and collects what they have done.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/dispatcher.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/engine/pool_host.h"
#include "parallel_pool/core/platform/process.h"
#include "parallel_pool/core/workers/link.h"
#include "parallel_pool/core/workers/shared_memory.h"

namespace parallel_pool {

// Calls of idle envs that a worker answers by a message. Any thread; they throw.
class EnvCalls {
 public:
  virtual ~EnvCalls() = default;
  // `options`: the text that the user gave to the next reset.
  virtual void SetResetOptions(int32_t env, const std::string& options) = 0;
  virtual std::string Save(int32_t env) = 0;
  virtual void Load(int32_t env, const std::string& state) = 0;
  virtual void Render(int32_t env, uint8_t* rgb) = 0;
  virtual std::string RenderText(int32_t env) = 0;
  // Why the process of worker `k` has ended: "with exit code 3"; "" if it is not known.
  virtual std::string ExitReason(int k) = 0;
};

// The worker processes of one pool. They are started and ended in Python.
class WorkerHost final : public PoolHost {
 public:
  // A worker that has died, and why.
  struct Lost {
    int worker;
    std::string why;
  };

  // Worker k runs the envs from FirstEnv(k, ...) (homes.h) on. A step or a reset may take
  // `step_timeout`, or as long as it likes (0).
  WorkerHost(int num_envs, int num_workers, std::chrono::nanoseconds step_timeout,
             std::shared_ptr<EnvCalls> calls);
  ~WorkerHost() override = default;

  std::shared_ptr<PoolMemory> memory() override { return memory_; }
  std::unique_ptr<EnvGroup> MakeGroup() override;
  std::unique_ptr<Dispatcher> Start(const PoolView& parts) override;
  std::span<const EnvTimes> times() const override {
    return {times_, static_cast<size_t>(num_envs_)};
  }

  // The file of the memory, which a worker maps.
  int file() const { return memory_->file(); }
  // Worker `k` is process `pid` from now on, which does not run tickets yet. It gets none of the
  // messages that were announced before. Throws std::runtime_error if the process cannot be
  // watched.
  void SetProcess(int k, int pid);
  // The worker will find a message in its pipe, to be answered after the tickets that were sent.
  // Any thread.
  void Announce(int k);
  // Restarts the random numbers of an env of a new process, at its next reset.
  void Seed(int32_t env, uint64_t seed);
  // Closes the files of a pool that is closed: its batches may live on.
  void CloseFiles();
  // The workers that have died since the last call.
  std::vector<Lost> TakeLost();

 private:
  friend class ProcessDispatcher;

  std::string WhyEnded(int k, const platform::ProcessWatch& watch) const;
  // Worker `k` has died. The caller holds mutex_.
  void Lose(int k, const std::string& why);

  const int num_envs_, num_workers_;
  const std::chrono::nanoseconds step_timeout_;
  const std::shared_ptr<EnvCalls> calls_;
  const std::shared_ptr<SharedMemory> memory_;
  SharedHeader* const link_;
  WorkerQueue* lanes_ = nullptr;
  EnvTimes* const times_;  // the worker of an env writes them
  std::mutex mutex_;       // of the rest
  // Of each worker; nullptr: its process has ended, or there is none yet.
  std::vector<std::shared_ptr<const platform::ProcessWatch>> watches_;
  std::vector<std::string> fates_;  // why the last process of each worker has ended
  std::vector<Lost> lost_;
};

}  // namespace parallel_pool
