#include "parallel_pool/core/engine/pool.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <stdexcept>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/allocations.h"
#include "parallel_pool/core/testing/make_pool.h"

namespace parallel_pool {
namespace {

using std::chrono::seconds;

// Actions of Trouble-v0 (testing/family.cc).
enum { kFine, kThrow, kEnd, kThrowInObserve, kSleep, kEndInObserve, kEndInReset };

struct Row {
  double steps, draw;
  float reward;
  bool terminated, truncated, first;
  int32_t elapsed_step;
  bool operator==(const Row&) const = default;
};

class Tester {
 public:
  Tester(int num_envs, int batch_size, int num_threads, int max_episode_steps = 1000, int lives = 1)
      : pool(testing::MakePool(1, lives,
                               {num_envs, batch_size, num_threads, max_episode_steps, -1, {}})) {}

  void Send(std::span<const int32_t> envs, int32_t action, bool reset = false) {
    const std::vector<int32_t> actions(envs.size(), action);
    pool->Claim(envs);
    pool->actions().Store(0, {actions.data(), DType::kInt32}, envs);
    pool->Send(envs, reset);
  }
  Batch* Recv() {
    Batch* batch = pool->Recv(seconds(60));
    if (batch == nullptr) std::abort();  // never, unless the engine hangs
    pool->Accept(*batch);
    return batch;
  }
  Row At(const Batch& b, int row) const {
    const double* obs = b.column<double>(0) + 2 * row;
    return {obs[0],
            obs[1],
            b.column<float>(pool->layout().engine_column(BatchLayout::kReward))[row],
            b.column<bool>(pool->layout().engine_column(BatchLayout::kTerminated))[row],
            b.column<bool>(pool->layout().engine_column(BatchLayout::kTruncated))[row],
            b.column<int32_t>(pool->layout().engine_column(BatchLayout::kStepType))[row] == 0,
            b.column<int32_t>(pool->layout().engine_column(BatchLayout::kElapsedStep))[row]};
  }
  int32_t env_id(const Batch& b, int row) const {
    return b.column<int32_t>(pool->layout().engine_column(BatchLayout::kEnvId))[row];
  }
  Row Step1(int32_t action) {
    const int32_t env = 0;
    Send({&env, 1}, action);
    Batch* batch = Recv();
    const Row row = At(*batch, 0);
    batch->Release();
    return row;
  }

  std::unique_ptr<Pool> pool;
};

TEST(Pool, SyncBatchesHaveTheirRowsInTheOrderSent) {
  Tester t(5, 5, 2);
  const std::vector<int32_t> first{4, 0, 2}, second{3, 1};
  t.Send(first, kFine);
  t.Send(second, kFine);
  for (const auto& envs : {first, second}) {
    Batch* batch = t.Recv();
    ASSERT_EQ(batch->rows(), static_cast<int>(envs.size()));
    for (size_t i = 0; i < envs.size(); ++i) EXPECT_EQ(t.env_id(*batch, i), envs[i]);
    batch->Release();
  }
}

TEST(Pool, FirstStepOfAnEnvResetsIt) {
  Tester t(1, 1, 1);
  const Row row = t.Step1(kThrow);
  EXPECT_TRUE(row.first);
  EXPECT_EQ(row.elapsed_step, 0);
  EXPECT_EQ(row.reward, 0);
}

TEST(Pool, TruncatesAtTheLimitAndThenResets) {
  Tester t(1, 1, 1, 2);
  t.Step1(kFine);
  EXPECT_FALSE(t.Step1(kFine).truncated);
  const Row last = t.Step1(kEnd);
  EXPECT_TRUE(last.truncated);
  EXPECT_TRUE(last.terminated);  // set on the step of the time limit, too
  EXPECT_EQ(last.elapsed_step, 2);
  const Row next = t.Step1(kEnd);
  EXPECT_TRUE(next.first);
  EXPECT_FALSE(next.terminated);
  EXPECT_EQ(next.elapsed_step, 0);
}

TEST(Pool, TimeRunsOnWhileAnEnvContinues) {
  Tester t(1, 1, 1, 1000, /*lives=*/2);
  t.Step1(kFine);
  t.Step1(kEnd);
  EXPECT_EQ(t.Step1(kFine).elapsed_step, 1);  // the second life begins
  EXPECT_EQ(t.Step1(kEnd).elapsed_step, 2);
  EXPECT_EQ(t.Step1(kFine).elapsed_step, 0);  // a new world
}

TEST(Pool, AsyncRunsEveryEnvAsOftenAsItWasSent) {
  for (const int threads : {1, 2, 4}) {
    Tester t(50, 7, threads);
    std::vector<int> sent(50, 1), received(50, 0);
    std::vector<int32_t> all(50);
    std::iota(all.begin(), all.end(), 0);
    t.Send(all, kFine);
    for (int round = 0; round < 2000; ++round) {
      Batch* batch = t.Recv();
      ASSERT_EQ(batch->rows(), 7);
      std::vector<int32_t> envs;
      for (int row = 0; row < 7; ++row) {
        envs.push_back(t.env_id(*batch, row));
        EXPECT_EQ(t.At(*batch, row).steps, received[envs.back()]++);
      }
      batch->Release();
      for (int32_t env : envs) ++sent[env];
      t.Send(envs, kFine);
    }
    for (int env = 0; env < 50; ++env) EXPECT_LE(sent[env] - received[env], 1);
  }
}

// The rows of each env, for any batch size and threads. Every third step ends an episode.
std::map<int, std::vector<Row>> Trajectories(int batch_size, int threads) {
  Tester t(40, batch_size, threads, 10);
  std::map<int, std::vector<Row>> rows;
  std::vector<int32_t> envs(40);
  std::iota(envs.begin(), envs.end(), 0);
  t.Send(envs, kFine);
  for (int left = 40 * 50; left > 0;) {
    Batch* batch = t.Recv();
    for (int row = 0; row < batch->rows(); ++row, --left) {
      const int32_t env = t.env_id(*batch, row);
      auto& of_env = rows[env];
      if (of_env.size() < 30) of_env.push_back(t.At(*batch, row));
      t.Send({&env, 1}, of_env.size() % 3 == 0 ? kEnd : kFine);
    }
    batch->Release();
  }
  return rows;
}

TEST(Pool, ResultsDependNeitherOnThreadsNorOnBatches) {
  const auto expected = Trajectories(1, 1);
  EXPECT_NE(expected.at(0)[0].draw, expected.at(1)[0].draw);
  for (const auto& [batch_size, threads] : {std::pair{1, 3}, {7, 1}, {7, 2}, {39, 4}}) {
    for (const auto& [env, rows] : Trajectories(batch_size, threads)) {
      const size_t n = std::min(rows.size(), expected.at(env).size());
      ASSERT_GT(n, 10u);
      EXPECT_TRUE(std::equal(rows.begin(), rows.begin() + n, expected.at(env).begin()));
    }
  }
}

TEST(Pool, ReportsAnEnvThatThrowsAndGoesOn) {
  for (const int32_t how : {kThrow, kThrowInObserve}) {
    Tester t(3, 3, 2);
    const std::vector<int32_t> all{0, 1, 2};
    t.Send(all, kFine);
    t.Recv()->Release();
    const std::vector<int32_t> actions{kFine, how, kFine};
    t.pool->Claim(all);
    t.pool->actions().Store(0, {actions.data(), DType::kInt32}, all);
    t.pool->Send(all, false);
    Batch* batch = t.Recv();
    const std::vector<Failure> failures = t.pool->Failures(*batch);
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_EQ(failures[0].env, 1);
    EXPECT_EQ(failures[0].elapsed_step, 1);
    EXPECT_EQ(t.At(*batch, 0).steps, 1);
    EXPECT_EQ(t.At(*batch, 1), (Row{0, 0, 0, false, true, false, 1}));
    batch->Release();
    t.Send(all, kFine);
    batch = t.Recv();
    EXPECT_TRUE(t.At(*batch, 1).first);
    EXPECT_EQ(t.At(*batch, 2).steps, 2);
    batch->Release();
  }
}

TEST(Pool, ClaimRefusesAndLeavesNothingClaimed) {
  Tester t(4, 4, 1);
  const std::vector<int32_t> all{0, 1, 2, 3};
  for (const std::vector<int32_t>& bad : {std::vector<int32_t>{0, 4}, {1, -1}, {2, 3, 2}, {}}) {
    EXPECT_THROW(t.pool->Claim(bad), std::invalid_argument);
  }
  t.Send(all, kFine);
  EXPECT_THROW(t.pool->Claim(all), std::invalid_argument);
  t.Recv()->Release();
  EXPECT_THROW(t.pool->CheckPending(0), std::runtime_error);
}

TEST(Pool, AllocatesNothingOnceItIsWarm) {
  for (const auto& [batch_size, threads] : {std::pair{64, 1}, {64, 2}, {16, 2}}) {
    Tester t(64, batch_size, threads);
    std::vector<int32_t> envs(64), actions(64, kFine);
    std::iota(envs.begin(), envs.end(), 0);
    t.Send(envs, kFine);
    int64_t before = 0;
    for (int round = 0; round < 1000; ++round) {
      if (round == 500) before = testing::Allocations();
      Batch* batch = t.pool->Recv(seconds(60));
      ASSERT_NE(batch, nullptr);
      t.pool->Accept(*batch);
      for (int row = 0; row < batch->rows(); ++row) envs[row] = t.env_id(*batch, row);
      const std::span<const int32_t> some(envs.data(), batch->rows());
      batch->Release();
      t.pool->Claim(some);
      t.pool->actions().Store(0, {actions.data(), DType::kInt32}, some);
      t.pool->Send(some, false);
    }
    EXPECT_EQ(testing::Allocations() - before, 0);
  }
}

TEST(Pool, ClosesWithWorkInFlight) {
  for (int round = 0; round < 50; ++round) {
    Tester t(64, 8, 3);
    std::vector<int32_t> envs(64);
    std::iota(envs.begin(), envs.end(), 0);
    t.Send(envs, kFine);
    Batch* batch = round % 2 ? t.Recv() : nullptr;
    t.pool.reset();
    if (batch == nullptr) continue;
    EXPECT_EQ(*batch->column<double>(0), 0.0);  // a received batch outlives the pool
    batch->Release();
  }
}

}  // namespace
}  // namespace parallel_pool
