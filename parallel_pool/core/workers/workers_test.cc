// Envs in other processes: the same rows as in a pool of this process, and what happens when a
// worker dies.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/testing/make_pool.h"
#include "parallel_pool/core/workers/processes.h"
#include "parallel_pool/core/workers/worker.h"

namespace parallel_pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Actions of Trouble-v0 (testing/family.cc).
enum { kFine, kThrow, kEnd, kThrowInObserve, kSleep, kEndInObserve, kEndInReset };
constexpr int kTrouble = 1;  // the number of the task

class NoCalls : public EnvCalls {
 public:
  void SetResetOptions(int32_t, const std::string&) override {}
  std::string Save(int32_t) override { return ""; }
  void Load(int32_t, const std::string&) override {}
  void Render(int32_t, uint8_t*) override {}
  std::string RenderText(int32_t) override { return ""; }
  std::string ExitReason(int) override { return ""; }
};

using testing::All;

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
        options_(testing::WithSeeds(std::move(options))),
        setup_(testing::MakeSetup(kTrouble, /*lives=*/1)),
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

void Send(Pool& pool, std::span<const int32_t> envs, const std::vector<int32_t>& actions) {
  pool.Claim(envs);
  pool.actions().Store(0, {actions.data(), DType::kInt32}, envs);
  pool.Send(envs, false);
}

Batch* Recv(Pool& pool) {
  Batch* const batch = pool.Recv(seconds(30));
  if (batch == nullptr) std::abort();  // never, unless the engine hangs
  pool.Accept(*batch);
  return batch;
}

// All columns of a row, as bytes.
std::string RowOf(const Pool& pool, const Batch& batch, int row) {
  std::string bytes;
  for (size_t k = 0; k < pool.columns().size(); ++k) {
    const int64_t size = pool.columns()[k].row_bytes();
    bytes.append(reinterpret_cast<const char*>(batch.columns()[k]) + row * size, size);
  }
  return bytes;
}

int32_t EnvOf(const Pool& pool, const Batch& batch, int row) {
  return batch.column<int32_t>(pool.layout().engine_column(BatchLayout::kEnvId))[row];
}

class SameRowsTest : public ::testing::TestWithParam<Autoreset> {};

TEST_P(SameRowsTest, AsInThisProcess) {
  for (const int workers : {1, 2, 3}) {
    PoolOptions options{.num_envs = 7, .batch_size = 7, .max_episode_steps = 5, .seeds = {}};
    options.autoreset = GetParam();
    options.record_episodes = true;
    RemotePool remote(options, workers);
    const auto local = testing::MakePool(kTrouble, 1, options);
    const auto all = All(7);
    for (int step = 0; step < 60; ++step) {
      std::vector<int32_t> actions(7);
      for (int i = 0; i < 7; ++i) {
        actions[i] = (step + i) % 11 == 0 ? kEnd : (step * 3 + i) % 13 == 0 ? kThrow : kFine;
      }
      if (step == 0 || GetParam() == Autoreset::kDisabled) {
        for (Pool* pool : {remote.pool.get(), local.get()}) {
          pool->Claim(all, true);
          pool->SendReset(all, std::vector<uint8_t>(7, 1));
          Recv(*pool)->Release();
        }
      }
      Send(*remote.pool, all, actions);
      Send(*local, all, actions);
      Batch *theirs = Recv(*remote.pool), *ours = Recv(*local);
      for (int row = 0; row < 7; ++row) {
        ASSERT_EQ(RowOf(*remote.pool, *theirs, row), RowOf(*local, *ours, row))
            << "step " << step << " row " << row;
        ASSERT_EQ(theirs->failed(row), ours->failed(row));
      }
      const auto failures = remote.pool->Failures(*theirs), own = local->Failures(*ours);
      ASSERT_EQ(failures.size(), own.size());
      for (size_t i = 0; i < own.size(); ++i) EXPECT_EQ(failures[i].what, own[i].what);
      theirs->Release();
      ours->Release();
    }
    EXPECT_TRUE(remote.TakeLost().empty());
  }
}
INSTANTIATE_TEST_SUITE_P(Workers, SameRowsTest,
                         ::testing::Values(Autoreset::kNextStep, Autoreset::kSameStep,
                                           Autoreset::kDisabled));

TEST(Workers, AsyncPoolsStepEachEnvAsOftenAsItIsSent) {
  for (const int workers : {1, 3}) {
    RemotePool remote({.num_envs = 9, .batch_size = 4, .max_episode_steps = 100000, .seeds = {}},
                      workers);
    Pool& pool = *remote.pool;
    const auto all = All(9);
    Send(pool, all, std::vector<int32_t>(9, kFine));
    std::vector<int> steps(9);
    for (int round = 0; round < 2000; ++round) {
      Batch* const batch = Recv(pool);
      std::vector<int32_t> envs;
      for (int row = 0; row < 4; ++row) {
        envs.push_back(EnvOf(pool, *batch, row));
        const auto* elapsed =
            batch->column<int32_t>(pool.layout().engine_column(BatchLayout::kElapsedStep));
        ASSERT_EQ(elapsed[row], steps[envs.back()]++);
      }
      batch->Release();
      Send(pool, envs, std::vector<int32_t>(4, kFine));
    }
  }
}

TEST(Workers, SeveralBatchesMayBeInFlight) {
  RemotePool remote({.num_envs = 6, .batch_size = 6, .max_episode_steps = 1000, .seeds = {}}, 2);
  const std::vector<int32_t> first{5, 0, 3}, second{1, 4};
  for (int round = 0; round < 200; ++round) {
    Send(*remote.pool, first, std::vector<int32_t>(3, kFine));
    Send(*remote.pool, second, std::vector<int32_t>(2, kFine));
    for (const auto& envs : {first, second}) {
      Batch* const batch = Recv(*remote.pool);
      ASSERT_EQ(batch->rows(), static_cast<int>(envs.size()));
      for (int row = 0; row < batch->rows(); ++row) {
        EXPECT_EQ(EnvOf(*remote.pool, *batch, row), envs[row]);
      }
      batch->Release();
    }
  }
}

// More messages than an env's worker has room for tickets, before each step.
TEST(Workers, MessagesChangeNoRow) {
  RemotePool remote({.num_envs = 2, .batch_size = 2, .max_episode_steps = 1000, .seeds = {}}, 1);
  Pool& pool = *remote.pool;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 30; ++i) remote.SendMessage(0);
    Send(pool, All(2), {kSleep, kSleep});
    Batch* const batch = Recv(pool);
    for (int row = 0; row < 2; ++row) EXPECT_EQ(batch->column<double>(0)[2 * row], round);
    batch->Release();
  }
}

TEST(Workers, AMessageIsAnsweredAfterTheTicketsBeforeItAndBeforeThoseBehindIt) {
  RemotePool remote({.num_envs = 3, .batch_size = 1, .max_episode_steps = 1000, .seeds = {}}, 1);
  Pool& pool = *remote.pool;
  const auto send = [&](int32_t env) { Send(pool, std::vector{env}, {kFine}); };
  send(0);
  send(1);
  remote.Announce(0);  // the worker waits for the message, after two tickets
  for (int i = 0; i < 2; ++i) Recv(pool)->Release();
  send(2);
  EXPECT_EQ(pool.Recv(milliseconds(50)), nullptr);
  remote.WriteMessage();
  Recv(pool)->Release();
}

TEST(Workers, AMessageToADeadWorkerIsNotForTheNextOne) {
  RemotePool remote({.num_envs = 2, .batch_size = 2, .max_episode_steps = 1000, .seeds = {}}, 1);
  Pool& pool = *remote.pool;
  kill(remote.pids[0], SIGKILL);
  waitpid(remote.pids[0], nullptr, 0);
  remote.Announce(0);
  remote.Start(0);
  for (int i = 0; i < 3; ++i) {
    Send(pool, All(2), {kFine, kFine});
    Recv(pool)->Release();
  }
}

TEST(Workers, AProcessThatEndsAtItsStartIsLost) {
  RemotePool remote({.num_envs = 2, .batch_size = 2, .max_episode_steps = 1000, .seeds = {}}, 1);
  Pool& pool = *remote.pool;
  const pid_t pid = remote.pids[0];
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  remote.SetProcess(0, pid);
  Send(pool, All(2), {kFine, kFine});
  Batch* const batch = Recv(pool);
  EXPECT_TRUE(batch->failed(0) && batch->failed(1));
  const std::string why = "its worker process " + std::to_string(pid) + " has ended";
  EXPECT_EQ(pool.Failures(*batch)[0].what, why);
  batch->Release();
  const auto lost = remote.TakeLost();
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].why, why);
}

TEST(Workers, ADeadWorkersRowsFailAndTheOthersGoOn) {
  RemotePool remote({.num_envs = 4, .batch_size = 4, .max_episode_steps = 1000, .seeds = {}}, 2);
  Pool& pool = *remote.pool;
  const auto all = All(4);
  for (int round = 0; round < 5; ++round) {
    Send(pool, all, std::vector<int32_t>(4, kFine));
    Recv(pool)->Release();
    kill(remote.pids[1], SIGKILL);
    Send(pool, all, std::vector<int32_t>(4, kFine));
    Batch* const batch = Recv(pool);
    for (int row = 0; row < 4; ++row) EXPECT_EQ(batch->failed(row), row >= 2);
    const auto failures = pool.Failures(*batch);
    ASSERT_EQ(failures.size(), 2u);
    EXPECT_NE(failures[0].what.find("has ended by signal Killed"), std::string::npos)
        << failures[0].what;
    batch->Release();
    const auto lost = remote.TakeLost();
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].worker, 1);
    waitpid(remote.pids[1], nullptr, 0);
    remote.Start(1);
    Send(pool, all, std::vector<int32_t>(4, kFine));
    Batch* const after = Recv(pool);
    EXPECT_FALSE(after->any_failed());
    after->Release();
  }
}

// The envs of a batch, and whether they failed.
std::map<int32_t, bool> FailedOf(Pool& pool) {
  Batch* const batch = Recv(pool);
  std::map<int32_t, bool> failed;
  for (int row = 0; row < batch->rows(); ++row) {
    failed[EnvOf(pool, *batch, row)] = batch->failed(row);
  }
  batch->Release();
  return failed;
}

TEST(Workers, ADeadWorkersRowsThatWereDoneAreKept) {
  RemotePool remote({.num_envs = 3, .batch_size = 3, .max_episode_steps = 1000, .seeds = {}}, 1, {},
                    /*is_deadly=*/true);
  Pool& pool = *remote.pool;
  Send(pool, All(3), {kFine, kFine, kFine});
  Recv(pool)->Release();
  Send(pool, All(3), {kFine, kThrow, kFine});
  waitpid(remote.pids[0], nullptr, 0);
  // After 20 ms the receiver looks for dead workers before it collects rows.
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(FailedOf(pool), (std::map<int32_t, bool>{{0, false}, {1, true}, {2, true}}));
}

TEST(Workers, ARowThatADeadWorkerHadTakenIsFailed) {
  RemotePool remote({.num_envs = 4, .batch_size = 2, .max_episode_steps = 1000, .seeds = {}}, 2, {},
                    /*is_deadly=*/true);
  Pool& pool = *remote.pool;
  Send(pool, All(4), {kFine, kFine, kFine, kFine});
  for (int i = 0; i < 2; ++i) Recv(pool)->Release();
  Send(pool, std::vector{0}, {kThrowInObserve});
  waitpid(remote.pids[0], nullptr, 0);  // it has the first row of the batch
  Send(pool, std::vector{2}, {kFine});
  EXPECT_EQ(FailedOf(pool), (std::map<int32_t, bool>{{0, true}, {2, false}}));
}

TEST(Workers, EachTicketOfADeadWorkerHasARowOfItsOwn) {
  RemotePool remote({.num_envs = 4, .batch_size = 2, .max_episode_steps = 1000, .seeds = {}}, 2);
  Pool& pool = *remote.pool;
  Send(pool, All(4), {kFine, kFine, kFine, kFine});
  for (int i = 0; i < 2; ++i) Recv(pool)->Release();
  kill(remote.pids[0], SIGKILL);
  waitpid(remote.pids[0], nullptr, 0);
  Send(pool, std::vector{0, 1}, {kFine, kFine});
  EXPECT_EQ(FailedOf(pool), (std::map<int32_t, bool>{{0, true}, {1, true}}));
}

// Kills workers at random times, while they take rows.
TEST(Workers, AsyncPoolsLoseNoRowWhenWorkersDie) {
  RemotePool remote({.num_envs = 8, .batch_size = 2, .max_episode_steps = 1000, .seeds = {}}, 4);
  Pool& pool = *remote.pool;
  const auto all = All(8);
  Send(pool, all, std::vector<int32_t>(8, kFine));
  int failed = 0;
  for (int round = 0; round < 3000; ++round) {
    if (round % 100 == 50) kill(remote.pids[round / 100 % 4], SIGKILL);
    Batch* const batch = Recv(pool);
    std::vector<int32_t> envs;
    for (int row = 0; row < 2; ++row) {
      envs.push_back(EnvOf(pool, *batch, row));
      failed += batch->failed(row);
    }
    batch->Release();
    for (const auto& lost : remote.TakeLost()) {
      waitpid(remote.pids[lost.worker], nullptr, 0);
      remote.Start(lost.worker);
    }
    Send(pool, envs, std::vector<int32_t>(2, kFine));
  }
  EXPECT_GT(failed, 0);
}

TEST(Workers, AStepThatTakesTooLongEndsItsWorker) {
  RemotePool remote({.num_envs = 2, .batch_size = 2, .max_episode_steps = 1000, .seeds = {}}, 2,
                    milliseconds(100));
  Pool& pool = *remote.pool;
  const auto all = All(2);
  Send(pool, all, {kFine, kFine});
  Recv(pool)->Release();
  kill(remote.pids[0], SIGSTOP);
  Send(pool, all, {kFine, kFine});
  Batch* const batch = Recv(pool);
  EXPECT_TRUE(batch->failed(0));
  EXPECT_FALSE(batch->failed(1));
  EXPECT_EQ(pool.Failures(*batch)[0].what, "it did not answer within step_timeout = 0.1 s");
  batch->Release();
}

// The limit is for one step: many short ones may take longer.
TEST(Workers, AWorkerThatMakesProgressLives) {
  RemotePool remote({.num_envs = 12, .batch_size = 12, .max_episode_steps = 1000, .seeds = {}}, 1,
                    milliseconds(300), /*is_deadly=*/true);
  Pool& pool = *remote.pool;
  Send(pool, All(12), std::vector<int32_t>(12, kFine));
  Recv(pool)->Release();
  Send(pool, All(12), std::vector<int32_t>(12, kSleep));
  for (const auto& [env, failed] : FailedOf(pool)) EXPECT_FALSE(failed) << env;
}

TEST(Workers, BatchesOutliveThePool) {
  Batch* batch = nullptr;
  {
    RemotePool remote({.num_envs = 2, .batch_size = 2, .seeds = {}}, 1);
    Send(*remote.pool, All(2), {kFine, kFine});
    batch = Recv(*remote.pool);
  }
  EXPECT_EQ(batch->rows(), 2);
  EXPECT_EQ(*batch->column<double>(0), 0);
  batch->Release();
}

TEST(SharedMemory, IsTheSameForAllThatOpenIt) {
  SharedMemory mine;
  auto* const numbers = reinterpret_cast<int*>(mine.Allocate(4 * sizeof(int)));
  const SharedMemory theirs(dup(mine.file()));
  for (int64_t grown = 0; grown < int64_t{200} << 20; grown += int64_t{50} << 20) {
    std::byte* const more = mine.Allocate(int64_t{50} << 20);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(more) % 64, 0u);
    EXPECT_EQ(more[0], std::byte{0});
    more[(int64_t{50} << 20) - 1] = std::byte{7};
    EXPECT_EQ(*theirs.At<std::byte>(mine.OffsetOf(more) + (int64_t{50} << 20) - 1), std::byte{7});
  }
  numbers[3] = 5;
  EXPECT_EQ(theirs.At<int>(mine.OffsetOf(numbers))[3], 5);
}

}  // namespace
}  // namespace parallel_pool
