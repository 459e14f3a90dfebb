// Envs in other processes: the same rows as in a pool of this process.
#include <unistd.h>

#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/remote_pool.h"

namespace parallel_pool {
namespace {

using testing::All;
using testing::EnvOf;
using testing::kEnd;
using testing::kFine;
using testing::kSleep;
using testing::kThrow;
using testing::kTrouble;
using testing::milliseconds;
using testing::Recv;
using testing::RemotePool;
using testing::RowOf;
using testing::Send;

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
