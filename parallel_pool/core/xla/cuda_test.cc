// Calls of programs on a GPU, with a stand-in for NVIDIA's driver (core/testing/cuda_stand_in.cc).
#include "parallel_pool/core/xla/cuda.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "parallel_pool/core/testing/cuda_stand_in.h"
#include "parallel_pool/core/testing/make_pool.h"
#include "parallel_pool/core/testing/xla_frame.h"
#include "parallel_pool/core/xla/xla_pool.h"

namespace parallel_pool {
namespace {

using testing::Buffers;
using testing::Frame;
using testing::kEnvs;
using testing::StandIn;

constexpr int kTrouble = 1;
constexpr XlaProcess kProcess{[] { return 0; }, [] { return false; }};

// A pool, and the memory of a program on the device.
struct Envs {
  Envs()
      : pool(testing::MakePool(kTrouble, 1,
                               {.num_envs = kEnvs,
                                .batch_size = kEnvs,
                                .num_threads = 1,
                                .max_episode_steps = 90,
                                .seeds = {},
                                .envs = {}})),
        xla(XlaPool::Open("Trouble-v0", pool.get(), &callers, false, kProcess)) {
    device.platform = "CUDA";
    device.offset = uintptr_t{1} << 62;
    const uint64_t first = xla->state();
    std::memcpy(device.state.data(), &first, sizeof first);
  }
  ~Envs() { xla->Close(); }

  std::string Call(const char* kind) {
    Frame frame = device.Make(kind, xla->id());
    frame.stream = &stream;
    return frame.Call();
  }

  Callers callers;
  std::unique_ptr<Pool> pool;
  std::shared_ptr<XlaPool> xla;
  Buffers device;
  int stream = 0;
};

TEST(Cuda, ResultsAreOnTheDeviceInTheOrderOfTheStream) {
  StandIn driver;
  {
    Envs envs;
    ASSERT_EQ(envs.Call("reset"), "");
    // The state is fetched and waited for; nine results are on their way; an event follows.
    EXPECT_EQ(driver.Log(), "DsHHHHHHHHHr");
    ASSERT_EQ(envs.Call("step"), "");
    EXPECT_EQ(driver.Log(), "DDsHHHHHHHHHr");
    EXPECT_EQ(envs.device.elapsed[3], 0);  // the second call has waited for the first one's results
    driver.Synchronize();
    EXPECT_EQ(envs.device.elapsed[3], 1);
    EXPECT_EQ(envs.device.obs[0], 1);
    EXPECT_EQ(envs.device.env_id[2], 2);
    ASSERT_EQ(envs.Call("send"), "");
    ASSERT_EQ(envs.Call("recv"), "");
    driver.Synchronize();
    EXPECT_EQ(envs.device.elapsed[3], 2);
    EXPECT_EQ(driver.Fault(), "");
  }
  EXPECT_EQ(driver.Left(), 0);  // pinned memory, events and contexts
}

TEST(Cuda, APoolMayBeFreedBeforeTheDeviceHasRead) {
  StandIn driver;
  auto envs = std::make_unique<Envs>();
  ASSERT_EQ(envs->Call("reset"), "");
  const Buffers& device = envs->device;
  ASSERT_EQ(envs->Call("step"), "");
  EXPECT_EQ(device.elapsed[0], 0);
  envs->xla->Close();
  envs->xla.reset();  // waits for the event
  EXPECT_EQ(device.elapsed[0], 1);
  EXPECT_EQ(driver.Fault(), "");
  EXPECT_EQ(driver.Left(), 0);
  envs->xla = XlaPool::Open("Trouble-v0", envs->pool.get(), &envs->callers, false, kProcess);
}

// More calls than blocks of results, none of which waits for the stream.
TEST(Cuda, BlocksAreUsedAgainOnlyWhenTheDeviceHasRead) {
  StandIn driver;
  CudaStaging staging;
  int stream = 0;
  std::vector<int32_t> device(100);
  const int64_t shape[] = {10};
  const auto at = [&](int i) {
    const auto address = reinterpret_cast<uintptr_t>(device.data() + 10 * i);
    return XlaArray{DType::kInt32, shape,
                    reinterpret_cast<std::byte*>(address + (uintptr_t{1} << 62))};
  };
  for (int i = 0; i < 10; ++i) {
    const XlaArray array = at(i);
    const auto results = staging.Results(std::span(&array, 1), &stream);
    auto* const numbers = reinterpret_cast<int32_t*>(results[0].data);
    for (int k = 0; k < 10; ++k) numbers[k] = 10 * i + k;
    staging.Return(std::span(&array, 1), &stream);
  }
  EXPECT_EQ(driver.Log(), "HrHrHrHrwHrwHrwHrwHrwHrwHr");
  driver.Synchronize();
  for (int k = 0; k < 100; ++k) EXPECT_EQ(device[k], k);
  EXPECT_EQ(driver.Fault(), "");
}

TEST(Cuda, AnErrorOfTheDriverIsAnErrorOfTheCall) {
  StandIn driver;
  Envs envs;
  Frame frame = envs.device.Make("step", envs.xla->id());
  frame.stream = nullptr;  // the stand-in refuses it
  EXPECT_EQ(frame.Call(), "cuStreamGetCtx: CUDA_ERROR_INVALID_VALUE (1)");
  EXPECT_EQ(envs.xla->TakeError()->type, XlaError::kRuntime);
}

}  // namespace
}  // namespace parallel_pool
