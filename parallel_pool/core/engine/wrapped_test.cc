// Envs whose observations and actions have another form, next to the plain ones.
#include "parallel_pool/core/engine/wrapped.h"

#include <cstring>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/action_sampler.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/testing/make_pool.h"

namespace parallel_pool {
namespace {

using std::chrono::seconds;

constexpr int kEnvs = 3, kFrames = 2;
// Arrays of Echo-v0 (testing/family.cc), which observes its own action.
enum { kChoice, kForce, kExact, kByte, kWide };
constexpr int kFlatSize = kFrames * (3 + 3) + 4 + 1;  // choice (one-hot), force; exact, byte

// One vector of float64, of frames of the choice and the force, then the exact numbers and the
// byte; the other arrays as they are. Forces are clipped to -1 .. 1, then 2 x + 1.
std::shared_ptr<Setup> MakeWrapped(const std::shared_ptr<const Setup>& setup) {
  std::vector<WrappedAction> actions;
  for (const ArraySpec& spec : setup->action_spec())
    actions.push_back({Column(spec), {}, {}, {}, {}});
  actions[kForce].low.assign(3, -1);
  actions[kForce].high.assign(3, 1);
  actions[kForce].gradient.assign(3, 0.5);
  actions[kForce].intercept.assign(3, -0.5);
  Column flat("obs:flat", DType::kFloat64);
  flat.shape = {kFlatSize};
  std::vector<Column> state{flat};
  std::vector<WrappedPart> parts{{kChoice, 0, 0, kFrames, false, true},
                                 {kForce, 0, 3 * kFrames, kFrames, false, false},
                                 {kExact, 0, 6 * kFrames, 1, false, false},
                                 {kByte, 0, 6 * kFrames + 4, 1, false, false}};
  for (int32_t k = kWide; k < setup->state_spec().size; ++k) {
    parts.push_back({k, static_cast<int32_t>(state.size()), 0, 1, false, false});
    state.emplace_back(setup->state_spec()[k]);
  }
  return Wrapped(setup, std::move(actions), std::move(state), std::move(parts));
}

class WrappedTest : public ::testing::Test {
 protected:
  // Resets the envs, or steps them with `force` and actions that follow from `number`.
  const double* Play(bool reset, int number, float force) {
    if (batch_ != nullptr) batch_->Release();
    pool_->Claim(kAll, reset);
    std::vector<int32_t> choice;
    for (int i = 0; i < kEnvs; ++i) choice.push_back((number + i) % 3);
    const std::vector<float> forces(kEnvs * 3, force);
    const std::vector<double> exact(kEnvs * 4, number + 0.5);
    const std::vector<uint8_t> byte(kEnvs, static_cast<uint8_t>(number));
    const std::vector<int64_t> wide(kEnvs * 2, 4);
    if (!reset) {
      pool_->actions().Store(kChoice, {choice.data(), DType::kInt32}, kAll);
      pool_->actions().Store(kForce, {forces.data(), DType::kFloat32}, kAll);
      pool_->actions().Store(kExact, {exact.data(), DType::kFloat64}, kAll);
      pool_->actions().Store(kByte, {byte.data(), DType::kUint8}, kAll);
      pool_->actions().Store(kWide, {wide.data(), DType::kInt64}, kAll);
    }
    pool_->Send(kAll, reset);
    batch_ = pool_->Recv(seconds(60));
    pool_->Accept(*batch_);
    return batch_->column<double>(0);
  }
  ~WrappedTest() override { batch_->Release(); }

  // The flat observation of env `env`: its frames of the choice and of the force, the numbers.
  static std::vector<double> Flat(std::vector<int> choices, std::vector<double> forces,
                                  double exact, double byte) {
    std::vector<double> row;
    for (const int choice : choices) {
      for (int i = 0; i < 3; ++i) row.push_back(i == choice);
    }
    for (const double force : forces) row.insert(row.end(), 3, force);
    row.insert(row.end(), 4, exact);
    row.push_back(byte);
    return row;
  }
  static std::vector<double> Row(const double* rows, int env) {
    return {rows + env * kFlatSize, rows + (env + 1) * kFlatSize};
  }

  const std::vector<int32_t> kAll = testing::All(kEnvs);
  const std::unique_ptr<Pool> pool_ = std::make_unique<Pool>(
      MakeWrapped(testing::MakeSetup(0, 3)), testing::WithSeeds({kEnvs, kEnvs, 2, 1000, -1, {}}));
  Batch* batch_ = nullptr;
};

TEST_F(WrappedTest, FramesBeginWithTheFirstAndMoveOn) {
  EXPECT_EQ(Row(Play(true, 0, 0), 1), Flat({0, 0}, {0, 0}, 0, 0));
  EXPECT_EQ(Row(Play(false, 4, 0.25F), 1), Flat({0, 2}, {0, 1.5}, 4.5, 4));
  EXPECT_EQ(Row(Play(false, 5, 7), 1), Flat({2, 0}, {1.5, 3}, 5.5, 5));  // 7 is clipped to 1
  EXPECT_EQ(Row(Play(false, 6, -7), 2), Flat({1, 2}, {3, -1}, 6.5, 6));
}

TEST_F(WrappedTest, ArraysThatStayAreWrittenInPlace) {
  Play(true, 0, 0);
  Play(false, 1, 0);
  EXPECT_EQ(pool_->columns()[1].name, "obs:wide");
  EXPECT_EQ(batch_->column<int64_t>(1)[5], 4);
}

TEST_F(WrappedTest, StatesHaveTheFrames) {
  Play(true, 0, 0);
  Play(false, 1, 0.25F);
  const std::string state = pool_->Save(0);
  const std::vector<double> expected = Row(Play(false, 2, 0), 0);
  Play(false, 3, 0);
  pool_->Load(0, state);
  EXPECT_EQ(Row(Play(false, 2, 0), 0), expected);
  Pool plain(testing::MakeSetup(0, 3), testing::WithSeeds({1, 1, 1, 1000, -1, {}}));
  EXPECT_THROW(plain.Load(0, state), std::invalid_argument);
}

TEST(ActionSampler, DrawsLegalIntegersAndNumbersInTheirBounds) {
  const auto setup = testing::MakeSetup(0, 3);
  ActionSampler sampler(*setup, kEnvs, 5);
  const std::vector<int32_t> envs{2, 0}, players{1, 1};
  const int8_t mask[] = {0, 0, 1, 1, 0, 0};
  int32_t choice[2];
  sampler.Draw(kChoice, envs, players, mask, reinterpret_cast<std::byte*>(choice));
  EXPECT_EQ(choice[0], 2);
  EXPECT_EQ(choice[1], 0);
  int seen[3] = {};
  for (int i = 0; i < 300; ++i) {
    sampler.Draw(kChoice, envs, players, nullptr, reinterpret_cast<std::byte*>(choice));
    ++seen[choice[0]];
    float force[6];
    sampler.Draw(kForce, envs, players, nullptr, reinterpret_cast<std::byte*>(force));
    for (const float f : force) EXPECT_TRUE(f >= -1 && f < 1);
    int64_t wide[4];
    sampler.Draw(kWide, envs, players, nullptr, reinterpret_cast<std::byte*>(wide));
    EXPECT_TRUE(wide[2] >= 0 && wide[2] <= 0x1p50 && wide[3] >= -5 && wide[3] <= 5);
  }
  for (const int count : seen) EXPECT_GT(count, 70);
}

}  // namespace
}  // namespace parallel_pool
