#include "parallel_pool/core/chunk.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include "gtest/gtest.h"
#include "parallel_pool/core/env.h"

namespace parallel_pool {
namespace {

// An env with StepChunk and ResetChunk. The action 0 fails this env, 1 its whole chunk, 2 and 3
// read outside of the chunk and of the action.
struct Flight {
  struct Config { int size = 4; };
  struct Action { View<const int32_t> to; };
  struct State { View<int32_t> obs; };  // the last action, envs in its last chunk
  static Options<Config> Describe() { return {Option<&Config::size>("size", "of a chunk")}; }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::to>("action", Discrete(100))},
            .state = {Array<&State::obs>("obs", Box({2}, {0}, {100}))}};
  }
  static int ChunkSize(const Config& config) { return config.size; }
  Flight(const Config&, Rng&) {}
  static void StepChunk(Chunk<Flight>& chunk) {
    chunk.ForEach([&](int i) {
      if (*chunk.action(i).to == 0) throw std::runtime_error("the wing broke");
      if (*chunk.action(i).to == 2) chunk.env(chunk.size()).to = 7;
      if (*chunk.action(i).to == 3) chunk.env(i).to = chunk.action(i).to[1];
      chunk.env(i).to = *chunk.action(i).to;
    });
    for (int i = 0; i < chunk.size(); ++i) {
      if (*chunk.action(i).to == 1) throw std::runtime_error("the wind broke");
    }
    chunk.ForEach([&](int i) {
      chunk.env(i).company = chunk.size();
      chunk.outcome(i).reward = 0.5 * chunk.env(i).to;
    });
  }
  static void ResetChunk(Chunk<Flight>& chunk) {
    chunk.ForEach([&](int i) { chunk.env(i).to = 0, chunk.env(i).company = chunk.size(); });
  }
  void Observe(const State& state) const { state.obs.Assign(to, company); }
  int to = 0, company = 0;
};

class FlightTest : public ::testing::Test {
 protected:
  static constexpr int kEnvs = 4;

  FlightTest() {
    registry_.Add<Flight>("Flight-v0", {});
    const Task& task = *registry_.tasks()[0];
    const OptionValue size = FirstOption();
    setup_.reset(task.Configure({&size, 1}, nullptr, &error_));
    group_.reset(setup_->MakeGroup(kEnvs, &error_));
    for (int32_t env = 0; env < kEnvs; ++env) group_->Create(env, 0, nullptr, &error_);
  }
  OptionValue FirstOption() {
    OptionSpecs specs;
    registry_.tasks()[0]->GetOptions(&specs, &error_);
    return specs.options[0].initial;
  }
  void Play(std::array<Turn, kEnvs> turns, std::array<int32_t, kEnvs> actions) {
    static constexpr int32_t kAll[] = {0, 1, 2, 3};
    std::byte* const action = reinterpret_cast<std::byte*>(actions.data());
    std::byte* const row = reinterpret_cast<std::byte*>(rows_);
    group_->Step(kAll, turns.data(), kEnvs, &action, results_);
    group_->Observe(kAll, kEnvs, &row, 0, results_);
  }

  Registry registry_;
  Error error_;
  std::unique_ptr<parallel_pool::Setup> setup_;  // testing::Test has another Setup
  std::unique_ptr<EnvGroup> group_;
  Result results_[kEnvs];
  int32_t rows_[kEnvs][2] = {};
};

TEST_F(FlightTest, StepsAndResetsInChunksByTurn) {
  EXPECT_EQ(setup_->preferred_chunk(), 4);
  Play({Turn::kReset, Turn::kReset, Turn::kReset, Turn::kReset}, {});
  EXPECT_TRUE(results_[2].new_world);
  EXPECT_EQ(rows_[2][1], 4);
  Play({Turn::kStep, Turn::kReset, Turn::kStep, Turn::kObserveOnly}, {7, 8, 9, 10});
  EXPECT_EQ(rows_[0][0], 7);
  EXPECT_EQ(rows_[0][1], 2);  // with env 2
  EXPECT_EQ(rows_[1][1], 1);  // alone
  EXPECT_EQ(rows_[3][1], 4);  // as it was
  EXPECT_EQ(results_[2].outcome.reward, 4.5);
  EXPECT_FALSE(results_[2].new_world);
  EXPECT_TRUE(results_[1].new_world);
}

TEST_F(FlightTest, FailsOneEnvOrTheWholeChunk) {
  const std::array<Turn, kEnvs> steps = {Turn::kStep, Turn::kStep, Turn::kStep, Turn::kStep};
  Play({Turn::kReset, Turn::kReset, Turn::kReset, Turn::kReset}, {});
  Play(steps, {7, 0, 9, 10});
  for (int env = 0; env < kEnvs; ++env) EXPECT_EQ(results_[env].failed, env == 1);
  EXPECT_STREQ(group_->Failure(1), "the wing broke");
  EXPECT_EQ(results_[2].outcome.reward, 4.5);
  Play(steps, {7, 8, 1, 10});
  for (int env = 0; env < kEnvs; ++env) EXPECT_TRUE(results_[env].failed);
  EXPECT_STREQ(group_->Failure(1), "the wind broke");
}

TEST_F(FlightTest, FailsAnEnvThatReadsOutsideOfItsChunk) {
  const std::array<Turn, kEnvs> steps = {Turn::kStep, Turn::kStep, Turn::kStep, Turn::kStep};
  Play({Turn::kReset, Turn::kReset, Turn::kReset, Turn::kReset}, {});
  Play(steps, {2, 7, 3, 10});
  for (int env = 0; env < kEnvs; ++env) EXPECT_EQ(results_[env].failed, env % 2 == 0);
  EXPECT_STREQ(group_->Failure(0), "env 4 of a chunk of 4");
  EXPECT_STREQ(group_->Failure(2), "index 1 of 'action', a View of 1 elements");
}

TEST_F(FlightTest, RefusesAChunkSizeThatCannotBe) {
  const Task& task = *registry_.tasks()[0];
  for (const int size : {0, kMaxChunk + 1}) {
    OptionValue value = FirstOption();
    value.integer = size;
    EXPECT_EQ(task.Configure({&value, 1}, nullptr, &error_), nullptr);
    EXPECT_EQ(error_.text,
              "ChunkSize() is " + std::to_string(size) + "; it must be between 1 and 256");
  }
}

}  // namespace
}  // namespace parallel_pool
