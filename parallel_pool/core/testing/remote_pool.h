// Pools whose envs are in forked processes, for tests.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/testing/make_pool.h"
#include "parallel_pool/core/workers/processes.h"
#include "parallel_pool/core/workers/worker.h"

namespace parallel_pool::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Actions of Trouble-v0 (testing/family.cc).
enum { kFine, kThrow, kEnd, kThrowInObserve, kSleep, kEndInObserve, kEndInReset };
inline constexpr int kTrouble = 1;  // the number of the task

class NoCalls : public EnvCalls {
 public:
  void SetResetOptions(int32_t, const std::string&) override {}
  std::string Save(int32_t) override { return ""; }
  void Load(int32_t, const std::string&) override {}
  void Render(int32_t, uint8_t*) override {}
  std::string RenderText(int32_t) override { return ""; }
  std::string ExitReason(int) override { return ""; }
};

// Ends the process where Trouble-v0 would throw, and sleeps for 40 ms where it may.
class DeadlyGroup final : public ForwardingGroup {
 public:
  using ForwardingGroup::ForwardingGroup;

  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override {
    const int32_t action = reinterpret_cast<const int32_t*>(actions[0])[envs[0]];
    if (turns[0] == Turn::kStep && action == kThrow) raise(SIGKILL);
    if (turns[0] == Turn::kStep && action == kSleep) std::this_thread::sleep_for(milliseconds(40));
    dies_in_observe_ = turns[0] == Turn::kStep && action == kThrowInObserve;
    group_->Step(envs, turns, count, actions, results);
  }
  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override {
    if (dies_in_observe_) raise(SIGKILL);
    group_->Observe(envs, count, columns, first_row, results);
  }

 private:
  bool dies_in_observe_ = false;
};

// A pool whose envs are in forked processes.
class RemotePool {
 public:
  RemotePool(PoolOptions options, int num_workers, milliseconds step_timeout = {},
             bool is_deadly = false)
      : is_deadly_(is_deadly),
        options_(WithSeeds(std::move(options))),
        setup_(MakeSetup(kTrouble, /*lives=*/1)),
        host_(std::make_shared<WorkerHost>(options_.num_envs, num_workers, step_timeout,
                                           std::make_shared<NoCalls>())),
        pool(std::make_unique<Pool>(setup_, options_, host_)) {
    if (pipe(messages_.data()) != 0) std::abort();
    for (int k = 0; k < num_workers; ++k) Start(k);
  }
  ~RemotePool() {
    pool.reset();
    for (const pid_t pid : pids) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    for (const int fd : messages_) close(fd);
  }

  void Start(int k) {
    int start[2];  // a worker may run tickets when it is the pool's
    if (pipe(start) != 0) std::abort();
    const pid_t pid = fork();
    char byte = 0;
    if (pid == 0) {
      if (read(start[0], &byte, 1) != 1) _exit(1);
      Work(k);
      _exit(0);
    }
    pids.resize(std::max<size_t>(pids.size(), k + 1));
    pids[k] = pid;
    host_->SetProcess(k, pid);
    if (write(start[1], &byte, 1) != 1) std::abort();
    for (const int fd : start) close(fd);
  }

  // Worker k reads the message, a byte.
  void SendMessage(int k) {
    host_->Announce(k);
    WriteMessage();
  }
  // The two parts of SendMessage.
  void Announce(int k) { host_->Announce(k); }
  void WriteMessage() {
    if (write(messages_[1], "m", 1) != 1) std::abort();
  }
  void SetProcess(int k, pid_t pid) { host_->SetProcess(k, pid); }

  std::vector<WorkerHost::Lost> TakeLost() { return host_->TakeLost(); }

 private:
  void Work(int k) const {
    Error error;
    std::unique_ptr<EnvGroup> group(setup_->MakeGroup(options_.num_envs, &error));
    for (int env = 0; env < options_.num_envs; ++env) {
      group->Create(env, options_.seeds[env], nullptr, &error);
    }
    if (is_deadly_) group = std::make_unique<DeadlyGroup>(std::move(group));
    PoolWorker worker(dup(host_->file()), k, setup_, options_, std::move(group));
    while (worker.Wait()) {
      if (!worker.MessageIsNext()) {
        worker.DoOldest();
        continue;
      }
      char message = 0;
      if (read(messages_[0], &message, 1) != 1) _exit(1);
      worker.EndMessage();
    }
  }

  const bool is_deadly_;
  const PoolOptions options_;
  const std::shared_ptr<const Setup> setup_;
  const std::shared_ptr<WorkerHost> host_;
  std::array<int, 2> messages_{};  // a pipe to all workers

 public:
  std::unique_ptr<Pool> pool;
  std::vector<pid_t> pids;
};

inline void Send(Pool& pool, std::span<const int32_t> envs, const std::vector<int32_t>& actions) {
  pool.Claim(envs);
  pool.actions().Store(0, {actions.data(), DType::kInt32}, envs);
  pool.Send(envs, false);
}

inline Batch* Recv(Pool& pool) {
  Batch* const batch = pool.Recv(seconds(30));
  if (batch == nullptr) std::abort();  // never, unless the engine hangs
  pool.Accept(*batch);
  return batch;
}

// All columns of a row, as bytes.
inline std::string RowOf(const Pool& pool, const Batch& batch, int row) {
  std::string bytes;
  for (size_t k = 0; k < pool.columns().size(); ++k) {
    const int64_t size = pool.columns()[k].row_bytes();
    bytes.append(reinterpret_cast<const char*>(batch.columns()[k]) + row * size, size);
  }
  return bytes;
}

inline int32_t EnvOf(const Pool& pool, const Batch& batch, int row) {
  return batch.column<int32_t>(pool.layout().engine_column(BatchLayout::kEnvId))[row];
}

}  // namespace parallel_pool::testing
