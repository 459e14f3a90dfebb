// Memory may run out at every allocation: the call throws std::bad_alloc or reports the failed
// envs, nothing ends the process, and the pool goes on.
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/allocations.h"
#include "parallel_pool/core/testing/make_pool.h"

namespace parallel_pool {
namespace {

using testing::FailAllocation;
using testing::HasFailed;

constexpr int kTrouble = 1, kHerd = 7;  // places in testing/family.cc
constexpr int kEnvs = 3;

// Runs `body` with each of its allocations failing in turn, and then once without a failure;
// returns the number of allocations. An exception other than std::bad_alloc fails the test.
template <class Body>
int FailEach(const Body& body) {
  for (int n = 0;; ++n) {
    FailAllocation(n);
    try {
      body();
    } catch (const std::bad_alloc&) {
      FailAllocation(-1);
      continue;
    }
    const bool failed = HasFailed();
    FailAllocation(-1);
    if (!failed) return n;
  }
}

PoolOptions Options(int batch_size, int threads, Autoreset autoreset) {
  return {.num_envs = kEnvs,
          .batch_size = batch_size,
          .num_threads = threads,
          .max_episode_steps = 3,
          .seeds = {},
          .autoreset = autoreset};
}

class OutOfMemoryTest : public ::testing::TestWithParam<int> {};

TEST_P(OutOfMemoryTest, PoolsAreMadeOrNot) {
  testing::MakePool(GetParam(), 1, Options(kEnvs, 1, Autoreset::kNextStep));  // loads the family
  for (const int batch_size : {kEnvs, 1}) {
    const int allocations = FailEach([&] {
      testing::MakePool(GetParam(), 1, Options(batch_size, 2, Autoreset::kSameStep));
      EXPECT_FALSE(HasFailed()) << "the pool was made without memory that it asked for";
    });
    EXPECT_GT(allocations, 20);
  }
}

// The constructor of Echo allocates, so its envs fail, too.
TEST(Envs, AreBuiltOrThePoolIsNotMade) {
  constexpr int kEcho = 0, kSize = 3;
  testing::MakePool(kEcho, kSize, Options(kEnvs, 1, Autoreset::kNextStep));
  FailEach([&] {
    testing::MakePool(kEcho, kSize, Options(kEnvs, 1, Autoreset::kNextStep));
    EXPECT_FALSE(HasFailed());
  });
}

TEST_P(OutOfMemoryTest, CallsThrowAndThePoolGoesOn) {
  for (const auto autoreset : {Autoreset::kNextStep, Autoreset::kSameStep}) {
    for (const int batch_size : {kEnvs, 1}) {
      const auto pool = testing::MakePool(GetParam(), 1, Options(batch_size, 1, autoreset));
      std::vector<int32_t> all(kEnvs);
      std::iota(all.begin(), all.end(), 0);
      const std::vector<int32_t> actions(kEnvs, 1);  // Trouble throws, Herd adds
      bool sent = false;
      int received = 0;
      const auto step = [&] {
        if (!sent) {
          pool->Claim(all);
          try {
            pool->actions().Store(0, {actions.data(), DType::kInt32}, all);
            pool->Send(all, received % 5 == 0);
          } catch (...) {
            pool->Unclaim(all);
            throw;
          }
          sent = true;
        }
        while (received < kEnvs) {
          Batch* const batch = pool->Recv(std::chrono::seconds(60));
          ASSERT_NE(batch, nullptr);
          const int rows = batch->rows();
          try {
            pool->Failures(*batch);
          } catch (const std::bad_alloc&) {
            pool->Accept(*batch);
            batch->Release();
            received += rows;
            throw;
          }
          pool->Accept(*batch);
          batch->Release();
          received += rows;
        }
        sent = false;
        received = 0;
      };
      for (int round = 0; round < 4; ++round) FailEach(step);
      for (int round = 0; round < 10; ++round) step();
    }
  }
}

TEST_P(OutOfMemoryTest, StatesAreSavedOrNot) {
  const auto pool = testing::MakePool(GetParam(), 1, Options(kEnvs, 1, Autoreset::kNextStep));
  const std::vector<int32_t> all{0, 1, 2};
  pool->Claim(all, true);
  pool->Send(all, true);
  Batch* const batch = pool->Recv(std::chrono::seconds(60));
  pool->Accept(*batch);
  batch->Release();
  std::string state;
  FailEach([&] { state = pool->Save(1); });
  FailEach([&] { pool->Load(1, state); });
  EXPECT_EQ(pool->Save(1), state);
}

// Without memory for the batch of a masked reset, nothing has changed: the next step is a step.
TEST_P(OutOfMemoryTest, AMaskedResetIsSentOrNot) {
  const auto pool = testing::MakePool(GetParam(), 1, Options(kEnvs, 1, Autoreset::kNextStep));
  const std::vector<int32_t> all{0, 1, 2}, actions(kEnvs, 0);  // nothing special in both tasks
  const auto elapsed_steps = [&] {
    Batch* const batch = pool->Recv(std::chrono::seconds(60));
    const auto* steps =
        batch->column<int32_t>(pool->layout().engine_column(BatchLayout::kElapsedStep));
    const std::vector<int32_t> all_steps(steps, steps + batch->rows());
    pool->Accept(*batch);
    batch->Release();
    return all_steps;
  };
  pool->Claim(all, true);
  pool->Send(all, true);
  Batch* const kept = pool->Recv(std::chrono::seconds(60));  // so that each reset needs a batch
  pool->Accept(*kept);
  pool->Claim(all, true);
  const std::vector<uint8_t> none(kEnvs, 0);
  FailAllocation(0);
  EXPECT_THROW(pool->SendReset(all, none), std::bad_alloc);
  FailAllocation(-1);
  pool->Unclaim(all);
  pool->Claim(all);
  pool->actions().Store(0, {actions.data(), DType::kInt32}, all);
  pool->Send(all, false);
  EXPECT_EQ(elapsed_steps(), std::vector<int32_t>(kEnvs, 1));
  kept->Release();
}

INSTANTIATE_TEST_SUITE_P(Tasks, OutOfMemoryTest, ::testing::Values(kTrouble, kHerd));

TEST(EnvSlot, ReportsAFailureWithoutMemory) {
  const auto pool = testing::MakePool(kTrouble, 1, Options(kEnvs, 1, Autoreset::kNextStep));
  const std::vector<int32_t> one{1};
  const int32_t what = 1;  // throws
  for (const bool reset : {true, false}) {
    pool->Claim(one, reset);
    pool->actions().Store(0, {&what, DType::kInt32}, one);
    pool->Send(one, reset);
    if (!reset) FailAllocation(0);  // of the exception's message or of the slot's memory for it
    Batch* const batch = pool->Recv(std::chrono::seconds(60));
    FailAllocation(-1);
    if (!reset) {
      const std::vector<Failure> failures = pool->Failures(*batch);
      ASSERT_EQ(failures.size(), 1u);
      EXPECT_EQ(failures[0].env, 1);
    }
    pool->Accept(*batch);
    batch->Release();
  }
}

}  // namespace
}  // namespace parallel_pool
