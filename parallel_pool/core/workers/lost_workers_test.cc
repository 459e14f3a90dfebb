// Workers that die or hang: which rows fail, and how the pool goes on.
#include <signal.h>
#include <sys/wait.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/remote_pool.h"

namespace parallel_pool {
namespace {

using testing::All;
using testing::EnvOf;
using testing::kFine;
using testing::kSleep;
using testing::kThrow;
using testing::kThrowInObserve;
using testing::milliseconds;
using testing::Recv;
using testing::RemotePool;
using testing::Send;

TEST(LostWorkers, AMessageToADeadWorkerIsNotForTheNextOne) {
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

TEST(LostWorkers, AProcessThatEndsAtItsStartIsLost) {
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

TEST(LostWorkers, ADeadWorkersRowsFailAndTheOthersGoOn) {
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

TEST(LostWorkers, ADeadWorkersRowsThatWereDoneAreKept) {
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

TEST(LostWorkers, ARowThatADeadWorkerHadTakenIsFailed) {
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

TEST(LostWorkers, EachTicketOfADeadWorkerHasARowOfItsOwn) {
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
TEST(LostWorkers, AsyncPoolsLoseNoRowWhenWorkersDie) {
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

TEST(LostWorkers, AStepThatTakesTooLongEndsItsWorker) {
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
TEST(LostWorkers, AWorkerThatMakesProgressLives) {
  RemotePool remote({.num_envs = 12, .batch_size = 12, .max_episode_steps = 1000, .seeds = {}}, 1,
                    milliseconds(300), /*is_deadly=*/true);
  Pool& pool = *remote.pool;
  Send(pool, All(12), std::vector<int32_t>(12, kFine));
  Recv(pool)->Release();
  Send(pool, All(12), std::vector<int32_t>(12, kSleep));
  for (const auto& [env, failed] : FailedOf(pool)) EXPECT_FALSE(failed) << env;
}

}  // namespace
}  // namespace parallel_pool
