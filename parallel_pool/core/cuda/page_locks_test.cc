// Pools whose batches are page-locked, with a stand-in for NVIDIA's driver
// (core/testing/cuda_stand_in.cc).
#include "parallel_pool/core/cuda/page_locks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/testing/cuda_stand_in.h"
#include "parallel_pool/core/testing/make_pool.h"

namespace parallel_pool {
namespace {

using testing::StandIn;

constexpr int kTrouble = 1, kEnvs = 6;  // the number of the task

std::unique_ptr<Pool> MakePool(int batch_size = kEnvs) {
  PoolOptions options{.num_envs = kEnvs,
                      .batch_size = batch_size,
                      .max_episode_steps = 90,
                      .seeds = {},
                      .autoreset = Autoreset::kSameStep};
  options.page_locks = std::make_shared<CudaPageLocks>("Trouble-v0");
  return testing::MakePool(kTrouble, 1, options);
}

std::vector<int32_t> All() {
  std::vector<int32_t> all(kEnvs);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Batch* Recv(Pool& pool) {
  Batch* const batch = pool.Recv(std::chrono::seconds(30));
  if (batch == nullptr) std::abort();  // never, unless the engine hangs
  pool.Accept(*batch);
  return batch;
}

Batch* Reset(Pool& pool, const std::vector<int32_t>& envs = All()) {
  pool.Claim(envs, true);
  pool.Send(envs, true);
  return Recv(pool);
}

// The message of the error that `body` throws.
template <class Body>
std::string ErrorOf(const Body& body) {
  try {
    body();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// The bytes of a batch that its columns take.
bool IsLocked(StandIn& driver, const Pool& pool, const Batch& batch) {
  const size_t last = pool.columns().size() - 1;
  const std::byte* const end =
      batch.columns()[last] + pool.columns()[last].row_bytes() * batch.rows();
  return driver.IsLocked(batch.block(), static_cast<size_t>(end - batch.block()));
}

TEST(PageLocks, AllBatchesOfASyncPoolAreLockedOnce) {
  StandIn driver;
  {
    const auto pool = MakePool();
    EXPECT_EQ(driver.Log(), "LL");  // the user has one batch while the other is filled
    Batch* held = Reset(*pool);
    for (int step = 0; step < 20; ++step) {
      Batch* const next = Reset(*pool);
      EXPECT_TRUE(IsLocked(driver, *pool, *next));
      held->Release();
      held = next;
    }
    held->Release();
    EXPECT_EQ(driver.Log(), "");
  }
  EXPECT_EQ(driver.Log(), "UU");
  EXPECT_EQ(driver.Left(), 0);
  EXPECT_EQ(driver.Fault(), "");
}

TEST(PageLocks, FurtherBatchesAreLockedWhenTheyAreMade) {
  StandIn driver;
  {
    const auto pool = MakePool();
    driver.Log();
    const std::vector<Batch*> held{Reset(*pool), Reset(*pool), Reset(*pool, {1, 3}), Reset(*pool)};
    EXPECT_EQ(driver.Log(), "LL");
    for (Batch* const batch : held) {
      EXPECT_TRUE(IsLocked(driver, *pool, *batch));
      batch->Release();
    }
  }
  EXPECT_EQ(driver.Log(), "UUUU");
  EXPECT_EQ(driver.Left(), 0);
}

TEST(PageLocks, AllBatchesOfAnAsyncPoolAreLockedOnce) {
  StandIn driver;
  {
    const auto pool = MakePool(/*batch_size=*/2);
    EXPECT_EQ(driver.Log(), "LLLLL");  // three are filled, one takes the place of the user's
    Batch* held = nullptr;
    const auto all = All();
    pool->Claim(all, true);
    pool->Send(all, true);
    for (int step = 0; step < 20; ++step) {
      Batch* const next = Recv(*pool);
      EXPECT_TRUE(IsLocked(driver, *pool, *next));
      if (held != nullptr) held->Release();
      held = next;
      const auto* ids = next->column<int32_t>(pool->layout().engine_column(BatchLayout::kEnvId));
      const std::vector<int32_t> envs(ids, ids + 2);
      pool->Claim(envs, true);
      pool->Send(envs, true);
    }
    held->Release();
    EXPECT_EQ(driver.Log(), "");
  }
  EXPECT_EQ(driver.Log(), "UUUUU");
  EXPECT_EQ(driver.Left(), 0);
  EXPECT_EQ(driver.Fault(), "");
}

TEST(PageLocks, ABatchMayOutliveItsPool) {
  StandIn driver;
  auto pool = MakePool();
  Batch* const batch = Reset(*pool);
  pool.reset();
  EXPECT_EQ(driver.Left(), 3);  // two blocks and the context
  batch->Release();
  EXPECT_EQ(driver.Left(), 0);
  EXPECT_EQ(driver.Fault(), "");
}

TEST(PageLocks, TheContextIsThatOfTheThreadsDevice) {
  StandIn driver;
  MakePool();
  EXPECT_EQ(driver.Device(), 0);
  driver.SetDevice(3);
  MakePool();
  EXPECT_EQ(driver.Device(), 3);
  driver.SetDevice(-1);
}

TEST(PageLocks, AFailureLeavesNothingLocked) {
  StandIn driver;
  for (const int call : {1, 2}) {
    driver.Fail("cuMemHostRegister", call, 2);
    const std::string error = ErrorOf([] { MakePool(); });
    EXPECT_TRUE(
        error.starts_with("Trouble-v0: pin_memory=True cannot lock 4096 bytes of a batch: "
                          "cuMemHostRegister: CUDA_ERROR_OUT_OF_MEMORY (2); raise the "
                          "limit of locked memory (ulimit -l)"))
        << error;
    EXPECT_EQ(driver.Left(), 0);
  }
  EXPECT_EQ(driver.Fault(), "");
}

TEST(PageLocks, AFailureDuringASendChangesNothing) {
  StandIn driver;
  {
    const auto pool = MakePool();
    Batch* const first = Reset(*pool);
    Batch* const second = Reset(*pool);
    driver.Fail("cuMemHostRegister", 1, 1);
    const auto all = All();
    pool->Claim(all, true);
    EXPECT_NE(ErrorOf([&] { pool->Send(all, true); }).find("CUDA_ERROR_INVALID_VALUE (1)"),
              std::string::npos);
    pool->Unclaim(all);
    for (Batch* const batch : {first, second, Reset(*pool)}) batch->Release();
  }
  EXPECT_EQ(driver.Left(), 0);
}

TEST(PageLocks, WithoutADeviceTheErrorSaysWhatToDo) {
  StandIn driver;
  for (const char* const function : {"cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain"}) {
    driver.Fail(function, 1, 100);
    EXPECT_EQ(ErrorOf([] { MakePool(); }),
              std::string("Trouble-v0: pin_memory=True finds no NVIDIA GPU that it can use: ") +
                  function + ": CUDA_ERROR_NO_DEVICE (100); use pin_memory=False without one");
    EXPECT_EQ(driver.Left(), 0);
  }
}

// In a child of fork, the stand-in ends the process at the first call of the driver.
TEST(PageLocks, AForkedChildFreesBatchesWithoutTheDriver) {
  StandIn driver;
  auto cache = std::make_shared<BatchCache>(std::vector<Column>{{"a", DType::kInt32}}, nullptr,
                                            std::make_shared<CudaPageLocks>("Trouble-v0"));
  Batch* const batch = cache->Take(5, 0);
  const pid_t child = fork();
  if (child == 0) {
    batch->Release();
    cache.reset();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  batch->Release();
  cache.reset();
  EXPECT_EQ(driver.Left(), 0);
}

TEST(PageLocks, TheDriverMayShutDownFirst) {
  StandIn driver;
  auto pool = MakePool();
  Batch* const batch = Reset(*pool);
  driver.ShutDown(true);
  pool.reset();
  batch->Release();
  driver.ShutDown(false);
  EXPECT_EQ(driver.Fault(), "");
}

}  // namespace
}  // namespace parallel_pool
