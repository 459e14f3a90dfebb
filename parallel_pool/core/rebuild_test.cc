// Envs of one group with options of their own: Create, Rebuild, and LoadOnce in Complete.
#include <memory>
#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/env.h"

namespace parallel_pool {
namespace {

int failures = 0;  // constructors that are to throw
int loads = 0;

// Observes its option, what it has loaded and a random number.
struct Shown {
  struct Config {
    int number = 1;
    int size = 1;
    std::shared_ptr<const int> loaded;
  };
  struct Action { View<const int32_t> none; };
  struct State { View<int64_t> obs; };
  static Options<Config> Describe() {
    return {Option<&Config::number>("number", ""), Option<&Config::size>("size", "")};
  }
  static void Complete(Config& config) {
    config.loaded =
        LoadOnce<const int>("number of loads", [] { return std::make_shared<const int>(++loads); });
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::none>("action", Discrete(1))},
            .state = {Array<&State::obs>("obs", Box({2 + config.size}, {0}, {1e18}))}};
  }
  Shown(const Config& config, Rng& rng) : config_(config), rng_(rng) {
    if (failures > 0 && failures-- > 0) throw std::runtime_error("it cannot be built");
  }
  void Reset() { random_ = static_cast<int64_t>(rng_.Next64() >> 8); }
  Outcome Step(const Action&) { return {}; }
  void Observe(const State& state) const {
    state.obs.Assign(config_.number, *config_.loaded, random_);
  }

  const Config& config_;
  Rng& rng_;
  int64_t random_ = 0;
};

class RebuildTest : public ::testing::Test {
 protected:
  RebuildTest() {
    registry_.Add<Shown>("Shown-v0", {});
    first_ = Configure(1, 1, nullptr);
    group_.reset(first_->MakeGroup(1, &error_));
    failures = 0;
  }
  std::shared_ptr<parallel_pool::Setup> Configure(int number, int size,
                                                  const parallel_pool::Setup* like) {
    OptionSpecs specs;
    registry_.tasks()[0]->GetOptions(&specs, &error_);
    OptionValue values[] = {specs.options[0].initial, specs.options[1].initial};
    values[0].integer = number;
    values[1].integer = size;
    return std::shared_ptr<parallel_pool::Setup>(
        registry_.tasks()[0]->Configure({values, 2}, like, &error_));
  }
  // The observation after a reset.
  std::vector<int64_t> Reset() {
    const int32_t env = 0;
    const Turn turn = Turn::kReset;
    std::vector<int64_t> row(3);
    std::byte *actions = nullptr, *columns = reinterpret_cast<std::byte*>(row.data());
    Result result;
    group_->Step(&env, &turn, 1, &actions, &result);
    group_->Observe(&env, 1, &columns, 0, &result);
    return row;
  }

  Registry registry_;
  Error error_;
  std::shared_ptr<parallel_pool::Setup> first_;
  std::unique_ptr<EnvGroup> group_;
};

TEST_F(RebuildTest, HasOtherOptionsAndTheSameRandomNumbers) {
  const auto second = Configure(2, 1, first_.get());
  ASSERT_TRUE(group_->Create(0, 7, nullptr, &error_));
  EXPECT_EQ(Reset()[0], 1);
  const int64_t next = Reset()[2];
  ASSERT_TRUE(group_->Create(0, 7, second.get(), &error_));
  EXPECT_EQ(Reset()[0], 2);
  ASSERT_TRUE(group_->Rebuild(0, first_.get(), &error_));
  const auto row = Reset();
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row[2], next);
}

TEST_F(RebuildTest, APreparedResetIsLikeOneAfterRebuild) {
  const auto second = Configure(2, 1, first_.get());
  const uint64_t seed = 8;
  ASSERT_TRUE(group_->Create(0, seed, nullptr, &error_));
  const auto first_of_seed = Reset();
  ASSERT_TRUE(group_->Prepare(0, {.seed = &seed, .setup = second.get()}, &error_));
  const auto row = Reset();
  EXPECT_EQ(row[0], 2);
  EXPECT_EQ(row[2], first_of_seed[2]);
  EXPECT_NE(Reset()[2], first_of_seed[2]);  // it held for one reset
  ASSERT_TRUE(group_->Prepare(0, {.seed = &seed, .setup = first_.get()}, &error_));
  ASSERT_TRUE(group_->Prepare(0, {}, &error_));  // drops it
  EXPECT_NE(Reset(), first_of_seed);
  EXPECT_EQ(Reset()[0], 2);
}

TEST_F(RebuildTest, ARefusedResetChangesNothing) {
  const auto wider = Configure(1, 2, first_.get());
  const uint64_t seed = 8, other = 9;
  ASSERT_TRUE(group_->Create(0, seed, nullptr, &error_));
  const auto first_of_seed = Reset();
  ASSERT_TRUE(group_->Prepare(0, {.seed = &seed}, &error_));
  EXPECT_FALSE(group_->Prepare(0, {.seed = &other, .setup = wider.get()}, &error_));
  EXPECT_STREQ(error_.text, "an env of the pool has arrays of another shape");
  EXPECT_EQ(Reset(), first_of_seed);
}

TEST_F(RebuildTest, LoadsOnceForAllSetupsOfASpec) {
  const int before = loads;
  const auto second = Configure(2, 1, first_.get());
  EXPECT_EQ(loads, before);
  ASSERT_TRUE(group_->Create(0, 7, second.get(), &error_));
  EXPECT_EQ(Reset()[1], before);
  Configure(2, 1, nullptr);
  EXPECT_EQ(loads, before + 1);
}

TEST_F(RebuildTest, KeepsItsOptionsIfItCannotBeBuilt) {
  const auto second = Configure(2, 1, first_.get());
  ASSERT_TRUE(group_->Create(0, 7, nullptr, &error_));
  failures = 1;
  EXPECT_FALSE(group_->Rebuild(0, second.get(), &error_));
  EXPECT_STREQ(error_.text, "it cannot be built");
  EXPECT_FALSE(error_.env_is_lost);
  EXPECT_EQ(Reset()[0], 1);
}

TEST_F(RebuildTest, SaysIfItIsLost) {
  const auto second = Configure(2, 1, first_.get());
  ASSERT_TRUE(group_->Create(0, 7, nullptr, &error_));
  failures = 2;
  EXPECT_FALSE(group_->Rebuild(0, second.get(), &error_));
  EXPECT_TRUE(error_.env_is_lost);
}

TEST_F(RebuildTest, RefusesRowsOfAnotherShape) {
  const auto wider = Configure(1, 2, first_.get());
  EXPECT_FALSE(group_->Create(0, 7, wider.get(), &error_));
  EXPECT_STREQ(error_.text, "an env of the pool has arrays of another shape");
  ASSERT_TRUE(group_->Create(0, 7, nullptr, &error_));
  EXPECT_FALSE(group_->Rebuild(0, wider.get(), &error_));
  EXPECT_FALSE(error_.env_is_lost);
  EXPECT_EQ(Reset()[0], 1);
}

}  // namespace
}  // namespace parallel_pool
