// Programs' calls, well-formed and not, of one thread and of several; `make sanitize` runs them
// with the sanitizers.
#include "parallel_pool/core/xla/handlers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "parallel_pool/core/testing/make_pool.h"
#include "parallel_pool/core/testing/xla_frame.h"
#include "parallel_pool/core/xla/xla_pool.h"

namespace parallel_pool {
namespace {

using testing::Buffers;
using testing::Frame;
using testing::kEnvs;
using testing::MakePool;

constexpr int kTrouble = 1, kThrow = 1;

int generation = 0;
bool is_interrupted = false;

// A pool, and a program's memory with the first state.
struct Envs : Buffers {
  Envs()
      : pool(MakePool(kTrouble, 1,
                      {.num_envs = kEnvs,
                       .batch_size = kEnvs,
                       .num_threads = 2,
                       .max_episode_steps = 9,
                       .seeds = {},
                       .envs = {}})),
        xla(XlaPool::Open("Trouble-v0", pool.get(), &callers, false,
                          {[] { return generation; }, [] { return is_interrupted; }})) {
    Update();
  }
  ~Envs() {
    if (xla) xla->Close();
  }

  Frame Make(const char* kind, int64_t rows = kEnvs) {
    return Buffers::Make(kind, xla->id(), rows);
  }
  // Gives the program the latest state.
  void Update() {
    const uint64_t latest = xla->state();
    std::memcpy(state.data(), &latest, sizeof latest);
  }

  Callers callers;
  std::unique_ptr<Pool> pool;
  std::shared_ptr<XlaPool> xla;
};

void ExpectError(const std::string& error, const std::string& words) {
  EXPECT_NE(error.find(words), std::string::npos) << error;
}

TEST(Handlers, AStepIsThatOfThePool) {
  Envs envs;
  ASSERT_EQ(envs.Make("reset").Call(), "");
  EXPECT_EQ(envs.elapsed[0], 0);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(envs.Make("step").Call(), "");
    EXPECT_EQ(envs.elapsed[3], i);
    EXPECT_EQ(envs.obs[0], i);
    EXPECT_EQ(envs.reward[2], 1.0f);
    EXPECT_EQ(envs.env_id[3], 3);
    EXPECT_EQ(envs.lives[1], 1);
  }
  ASSERT_EQ(envs.Make("send").Call(), "");
  ASSERT_EQ(envs.Make("recv").Call(), "");
  EXPECT_EQ(envs.elapsed[3], 4);
  ASSERT_EQ(envs.Make("send_reset").Call(), "");
  ASSERT_EQ(envs.Make("recv").Call(), "");
  EXPECT_EQ(envs.elapsed[3], 0);
}

TEST(Handlers, NarrowTypesAreThoseOfJax) {
  Envs envs;
  std::array<float, 2 * kEnvs> narrow{};
  Frame reset("reset", "cpu", envs.xla->id());
  reset.Argument(XLA_FFI_DataType_U8, {8}, envs.state.data());
  reset.Result(XLA_FFI_DataType_U8, {8}, envs.state.data());
  reset.Result(XLA_FFI_DataType_F32, {kEnvs, 2}, narrow.data());
  envs.AddRest(&reset, kEnvs);
  Frame seeded = envs.Make("reset");
  int64_t seed = 3;
  seeded.has_seed = reset.has_seed = true;
  seeded.Argument(XLA_FFI_DataType_S64, {}, &seed);
  reset.Argument(XLA_FFI_DataType_S64, {}, &seed);
  ASSERT_EQ(seeded.Call(), "");
  ASSERT_EQ(reset.Call(), "");
  for (size_t i = 0; i < narrow.size(); ++i) {
    EXPECT_EQ(narrow[i], static_cast<float>(envs.obs[i]));
  }
}

TEST(Handlers, MisuseIsRefusedInWords) {
  Envs envs;
  ASSERT_EQ(envs.Make("reset").Call(), "");
  const auto latest = envs.state;
  ExpectError(envs.Make("recv").Call(), "would wait forever");
  envs.action[2] = 9;
  ExpectError(envs.Make("step").Call(), "action[2] is 9; allowed are the integers 0 to 6");
  envs.action[2] = 0;
  ExpectError(envs.Make("step", 3).Call(), "obs is float64 (3, 2); it must be float64 (4, 2)");
  EXPECT_EQ(envs.state, latest);  // nothing was sent
  Frame more = envs.Make("step");
  more.Argument(XLA_FFI_DataType_S32, {1}, envs.action.data());
  ExpectError(more.Call(), "3 arguments and 9 results; it must have 2 and 9");
  Frame less("step", "cpu", envs.xla->id());
  ExpectError(less.Call(), "0 arguments and 0 results");
  Frame odd("step", "cpu", envs.xla->id());
  odd.Argument(XLA_FFI_DataType_BF16, {8}, envs.state.data());
  ExpectError(odd.Call(), "a dtype that no pool has");
  ASSERT_EQ(envs.Make("step").Call(), "");
  const auto now = envs.state;
  envs.state = latest;
  ExpectError(envs.Make("step").Call(), "not the latest (1, now 2)");
  envs.state = now;
  ASSERT_EQ(envs.Make("step").Call(), "");
  const std::optional<XlaError> error = envs.xla->TakeError();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->type, XlaError::kRuntime);
  EXPECT_FALSE(envs.xla->TakeError());
}

TEST(Handlers, EnvIdsAndSeedsAreChecked) {
  Envs envs;
  ASSERT_EQ(envs.Make("reset").Call(), "");
  std::array<int64_t, kEnvs> ids{0, 1, 2, int64_t{1} << 40};
  Frame step = envs.Make("step");
  step.has_env_id = true;
  step.Argument(XLA_FFI_DataType_S64, {kEnvs}, ids.data());
  ExpectError(step.Call(), "env_id[3] = -1: there is no such env");
  ids[3] = 2;
  ExpectError(step.Call(), "occurs twice");
  ids[3] = 3;
  EXPECT_EQ(step.Call(), "");
  Frame reset = envs.Make("reset");
  reset.has_seed = true;
  std::array<int32_t, kEnvs> seeds{1, 2, -3, 4};
  reset.Argument(XLA_FFI_DataType_S32, {3}, seeds.data());
  ExpectError(reset.Call(), "seed is -3; allowed are the integers from 0 on");
  seeds[2] = 3;
  ExpectError(reset.Call(), "seed has 3 values; it must have one for each of 4 envs");
  Frame floats = envs.Make("reset");
  floats.has_seed = true;
  floats.Argument(XLA_FFI_DataType_F32, {kEnvs}, envs.reward.data());
  ExpectError(floats.Call(), "seed must be int32 or int64");
}

TEST(Handlers, AnEnvThatThrowsIsAnErrorWithItsBatch) {
  Envs envs;
  ASSERT_EQ(envs.Make("reset").Call(), "");
  envs.action[1] = kThrow;
  ExpectError(envs.Make("step").Call(), "Trouble-v0 env 1 step 1: the motor broke");
  {
    const std::optional<XlaError> error = envs.xla->TakeError();
    ASSERT_TRUE(error && error->batch != nullptr);
    EXPECT_EQ(error->failures.front().env, 1);
    EXPECT_EQ(error->batch->rows(), kEnvs);
    error->batch->Release();
  }
  ExpectError(envs.Make("step").Call(), "not the latest (1, now 2)");
  envs.Update();
  EXPECT_EQ(envs.Make("step").Call(), "");                   // resets the env
  ExpectError(envs.Make("step").Call(), "the motor broke");  // its batch is not taken
}

TEST(Handlers, CtrlCEndsAProgram) {
  Envs envs;
  ASSERT_EQ(envs.Make("reset").Call(), "");
  is_interrupted = true;
  std::string error;
  for (int i = 0; i < 10'000'000 && error.empty(); ++i) error = envs.Make("step").Call();
  is_interrupted = false;
  EXPECT_EQ(error, "Trouble-v0: interrupted by Ctrl-C");
  EXPECT_EQ(envs.Make("step").Call(), "");  // nothing was lost
}

TEST(Handlers, APoolMayBeClosedAndFreed) {
  auto envs = std::make_unique<Envs>();
  Frame step = envs->Make("step");
  ASSERT_EQ(envs->Make("reset").Call(), "");
  ++generation;
  ExpectError(step.Call(), "before a fork()");
  --generation;
  envs->xla->Close();
  envs->pool.reset();
  ExpectError(step.Call(), "Trouble-v0: the pool is closed");
  envs->xla.reset();
  ExpectError(step.Call(), "closed and freed");
  Frame unknown("step", "cpu", -1);
  ExpectError(unknown.Call(), "closed and freed");
}

// Two programs call while another thread closes the pool: each call ends well or with an error.
TEST(Handlers, ThreadsCallAndClose) {
  for (int round = 0; round < 20; ++round) {
    Envs envs;
    ASSERT_EQ(envs.Make("reset").Call(), "");
    std::atomic<int> good{0};
    const auto call = [&] {
      Buffers mine;
      mine.state = envs.state;
      Frame step = mine.Make("step", envs.xla->id());
      step.counted = false;
      std::string error;
      while ((error = step.Call()).empty()) ++good;
      ExpectError(error, "closed");
    };
    std::thread first(call), second(call);
    while (good < 20 + round) std::this_thread::yield();
    envs.xla->Close();
    envs.pool.reset();
    first.join();
    second.join();
  }
}

// The same with counted states: of each state, only one program's call ends well.
TEST(Handlers, ThreadsUseOneState) {
  Envs envs;
  ASSERT_EQ(envs.Make("reset").Call(), "");
  std::atomic<int> good{0};
  for (int round = 0; round < 50; ++round) {
    const auto call = [&] {
      Buffers mine;
      mine.state = envs.state;
      const std::string error = mine.Make("step", envs.xla->id()).Call();
      if (error.empty()) {
        ++good;
      } else {
        ExpectError(error, "not the latest");
      }
    };
    std::thread first(call), second(call);
    first.join();
    second.join();
    ASSERT_EQ(good, round + 1);
    envs.Update();
  }
}

}  // namespace
}  // namespace parallel_pool
