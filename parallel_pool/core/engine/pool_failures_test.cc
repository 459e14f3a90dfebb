// Envs that throw where it hurts: at an episode's end, in autoreset, or when they are built again.
#include <stdexcept>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/testing/make_pool.h"

namespace parallel_pool {
namespace {

using std::chrono::seconds;

// Actions of Trouble-v0 (testing/family.cc).
enum { kFine, kThrow, kEnd, kThrowInObserve, kSleep, kEndInObserve, kEndInReset };
constexpr int kTrouble = 1;  // the number of the task

// A row as the user sees it; `end` is that of the final columns, and `final_steps` is in them.
struct Row {
  double steps = 0;
  float reward = 0;
  bool terminated = false, truncated = false;
  float discount = 1;
  int32_t step_type = BatchLayout::kMid;
  bool end = false;
  double final_steps = 0;
  int32_t final_elapsed_step = 0;
  bool operator==(const Row&) const = default;
};
const Row kFailed = {.truncated = true, .step_type = BatchLayout::kLast};

PoolOptions Options(int num_envs, Autoreset autoreset) {
  return testing::WithSeeds({.num_envs = num_envs,
                             .batch_size = num_envs,
                             .max_episode_steps = 1000,
                             .seeds = {},
                             .autoreset = autoreset});
}

class Tester {
 public:
  Tester(int num_envs, Autoreset autoreset, int lives = 1)
      : pool(testing::MakePool(kTrouble, lives, Options(num_envs, autoreset))),
        all_(testing::All(num_envs)) {
    Reset();
  }

  void Reset() {
    pool->Claim(all_, true);
    pool->Send(all_, true);
    Receive();
  }
  std::vector<Row> Step(const std::vector<int32_t>& actions) {
    pool->Claim(all_);
    pool->actions().Store(0, {actions.data(), DType::kInt32}, all_);
    pool->Send(all_, false);
    return Receive();
  }
  std::vector<Row> ResetMasked(const std::vector<uint8_t>& mask) {
    pool->Claim(all_, true);
    pool->SendReset(all_, mask);
    return Receive();
  }

  std::unique_ptr<Pool> pool;
  std::vector<std::string> failures;  // of the last batch, by row; "" where the env did not throw

 private:
  std::vector<Row> Receive() {
    Batch* const batch = pool->Recv(seconds(60));
    if (batch == nullptr) std::abort();  // never, unless the engine hangs
    failures.assign(all_.size(), "");
    for (const Failure& failure : pool->Failures(*batch)) failures[failure.env] = failure.what;
    pool->Accept(*batch);
    std::vector<Row> rows;
    for (int row = 0; row < batch->rows(); ++row) {
      EXPECT_EQ(batch->failed(row), !failures[row].empty());
      rows.push_back(At(*batch, row));
    }
    batch->Release();
    return rows;
  }
  Row At(const Batch& batch, int row) const {
    const BatchLayout& layout = pool->layout();
    const auto column = [&](auto c) { return layout.engine_column(c); };
    Row shown = {.steps = batch.column<double>(0)[2 * row],
                 .reward = batch.column<float>(column(BatchLayout::kReward))[row],
                 .terminated = batch.column<bool>(column(BatchLayout::kTerminated))[row],
                 .truncated = batch.column<bool>(column(BatchLayout::kTruncated))[row],
                 .discount = batch.column<float>(column(BatchLayout::kDiscount))[row],
                 .step_type = batch.column<int32_t>(column(BatchLayout::kStepType))[row]};
    if (pool->options().autoreset != Autoreset::kSameStep) return shown;
    shown.end = batch.column<bool>(column(BatchLayout::kFinalObsMask))[row];
    EXPECT_EQ(batch.column<bool>(column(BatchLayout::kFinalInfoMask))[row], shown.end);
    shown.final_steps = batch.column<double>(layout.end_column(0))[2 * row];
    shown.final_elapsed_step = batch.column<int32_t>(column(BatchLayout::kFinalElapsedStep))[row];
    return shown;
  }

  const std::vector<int32_t> all_;
};

TEST(PoolFailures, AnEndThatCannotBeObservedIsTruncated) {
  for (const auto autoreset : {Autoreset::kNextStep, Autoreset::kSameStep, Autoreset::kDisabled}) {
    Tester t(2, autoreset);
    EXPECT_EQ(t.Step({kEndInObserve, kFine})[0], kFailed);
    EXPECT_EQ(t.failures, (std::vector<std::string>{"the camera broke", ""}));
    if (autoreset == Autoreset::kDisabled) t.Reset();
    EXPECT_EQ(t.Step({kFine, kFine})[0].steps, autoreset == Autoreset::kDisabled ? 1 : 0);
  }
}

TEST(PoolFailures, AResetThatThrowsInTheSameStepIsReported) {
  Tester t(4, Autoreset::kSameStep);
  t.Step({kFine, kFine, kFine, kFine});
  const auto rows = t.Step({kEnd, kEndInReset, kEndInObserve, kFine});
  EXPECT_EQ(t.failures,
            (std::vector<std::string>{"", "the door is stuck", "the camera broke", ""}));
  EXPECT_EQ(rows[0], (Row{.reward = 1,
                          .terminated = true,
                          .discount = 0,
                          .step_type = BatchLayout::kLast,
                          .end = true,
                          .final_steps = 2,
                          .final_elapsed_step = 2}));
  EXPECT_EQ(rows[1], kFailed);
  EXPECT_EQ(rows[2], kFailed);
  EXPECT_EQ(rows[3], (Row{.steps = 2, .reward = 1}));
  const auto next = t.Step({kFine, kFine, kFine, kFine});
  EXPECT_EQ(t.failures, std::vector<std::string>(4));
  EXPECT_EQ(next[0], (Row{.steps = 1, .reward = 1}));
  for (const int i : {1, 2}) EXPECT_EQ(next[i], (Row{.step_type = BatchLayout::kFirst}));
  EXPECT_EQ(next[3], (Row{.steps = 3, .reward = 1}));
}

// With lives left, Continue follows and not Reset: the door opens later.
TEST(PoolFailures, AnEnvThatContinuesThrowsWhenItsWorldEnds) {
  Tester t(1, Autoreset::kSameStep, /*lives=*/2);
  EXPECT_TRUE(t.Step({kEndInReset})[0].end);
  EXPECT_EQ(t.failures[0], "");
  EXPECT_EQ(t.Step({kEndInReset})[0], kFailed);
  EXPECT_EQ(t.failures[0], "the door is stuck");
}

TEST(PoolFailures, AnEnvWhoseResetThrewHasNoWorldToShow) {
  Tester t(2, Autoreset::kNextStep);
  t.Step({kEndInReset, kFine});
  EXPECT_EQ(t.Step({kFine, kFine})[0], kFailed);  // its reset
  uint8_t pixel[6];
  EXPECT_THROW(t.pool->Render(0, pixel), std::invalid_argument);
  const auto rows = t.ResetMasked({0, 0});  // observes what there is, else resets
  EXPECT_EQ(rows[0].step_type, BatchLayout::kFirst);
  EXPECT_EQ(rows[1].steps, 2);
}

// A setup of Trouble-v0, as one of the spec of `like`.
std::shared_ptr<const Setup> Configure(int64_t lives, bool refuse, int64_t max_builds,
                                       const Setup* like) {
  const Task& task = *LoadFamily("parallel_pool/core/testing/_family.so").tasks[kTrouble];
  OptionSpecs specs;
  Error error;
  task.GetOptions(&specs, &error);
  std::vector<OptionValue> values;
  for (const OptionSpec& option : specs.options) {
    OptionValue& value = values.emplace_back(option.initial);
    const std::string name = option.name;
    if (name == "lives") value.integer = lives;
    if (name == "refuse") value.integer = refuse;
    if (name == "max_builds") value.integer = max_builds;
  }
  return std::shared_ptr<const Setup>(task.Configure(Span<OptionValue>::Of(values), like, &error));
}

class RebuildTest : public ::testing::Test {
 protected:
  static constexpr int32_t kFirst[] = {0}, kSecond[] = {1}, kBoth[] = {0, 1};

  explicit RebuildTest(int64_t max_builds = 0)
      : setup_(Configure(1, false, max_builds, nullptr)),
        pool_(setup_, Options(2, Autoreset::kNextStep)) {
    Reset(kBoth);
  }
  void Reset(std::span<const int32_t> envs) {
    pool_.Claim(envs, true);
    pool_.Send(envs, true);
    Receive();
  }
  // The steps and the lives of each row.
  std::vector<int> Receive() {
    Batch* const batch = pool_.Recv(seconds(60));
    pool_.Accept(*batch);
    std::vector<int> shown;
    for (int row = 0; row < batch->rows(); ++row) {
      shown.push_back(static_cast<int>(batch->column<double>(0)[2 * row]));
      shown.push_back(batch->column<int32_t>(1)[row]);
    }
    batch->Release();
    return shown;
  }
  std::string Refusal(const EnvSetup& options) {
    pool_.Claim(kFirst, true);
    std::string text;
    try {
      pool_.PrepareNow(0, {.options = options});
    } catch (const std::invalid_argument& error) {
      text = error.what();
    }
    pool_.Unclaim(kFirst);
    return text;
  }

  const std::shared_ptr<const parallel_pool::Setup> setup_;  // testing::Test has another Setup
  Pool pool_;
  uint8_t pixels_[2 * 9 * 3];
};

TEST_F(RebuildTest, AnEnvThatWasBuiltAgainHasNoWorldYet) {
  const auto other = Configure(3, false, 0, setup_.get());
  EXPECT_EQ(Refusal({other, 77}), "");
  EXPECT_EQ(pool_.env_options(0).setup, other);
  EXPECT_EQ(pool_.env_options(1).setup, setup_);
  EXPECT_THROW(pool_.Render(0, pixels_), std::invalid_argument);
  pool_.Render(1, pixels_);
  pool_.Claim(kBoth, true);
  pool_.SendReset(kBoth, std::vector<uint8_t>{0, 0});
  EXPECT_EQ(Receive(), (std::vector<int>{0, 3, 0, 1}));
  EXPECT_EQ(pool_.env_options(0).max_episode_steps, 77);
}

TEST_F(RebuildTest, AnEnvThatCannotBeBuiltKeepsItsOptions) {
  EXPECT_EQ(Refusal({Configure(3, true, 0, setup_.get()), 77}), "Trouble-v0 env 0: no such device");
  EXPECT_EQ(pool_.env_options(0).setup, setup_);
  EXPECT_EQ(pool_.env_options(0).max_episode_steps, 1000);
  EXPECT_THROW(pool_.Render(0, pixels_), std::invalid_argument);
  pool_.Claim(kBoth);
  pool_.Send(kBoth, false);
  EXPECT_EQ(Receive(), (std::vector<int>{0, 1, 1, 1}));
}

class LostEnvTest : public RebuildTest {
 protected:
  LostEnvTest() : RebuildTest(/*max_builds=*/2) {}
};

TEST_F(LostEnvTest, IsRefusedFromThenOnAndTheOthersGoOn) {
  EXPECT_EQ(Refusal({Configure(3, false, 2, setup_.get()), 77}),
            "Trouble-v0 env 0: no such device");
  for (const bool reset : {true, false}) {
    try {
      pool_.Claim(kBoth, reset);
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "Trouble-v0: env_id[0] = 0 is lost: it could not be built again");
    }
    EXPECT_EQ(pool_.IdleEnvs(), std::vector<int32_t>{1});
    Reset(kSecond);
  }
}

}  // namespace
}  // namespace parallel_pool
