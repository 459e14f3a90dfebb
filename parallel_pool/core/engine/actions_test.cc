#include "parallel_pool/core/engine/actions.h"

#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool {
namespace {

struct Action {
  View<const int32_t> button;
  View<const float> force;
};

class ActionStoreTest : public ::testing::Test {
 protected:
  ActionStoreTest() : store_("Task-v0", {specs_, 2}, 4) {}

  template <class T>
  void Store(size_t k, std::vector<T> values, std::vector<int32_t> envs) {
    store_.Store(k, {values.data(), DTypeOf<T>::value}, envs);
  }
  template <class T>
  std::string Refusal(size_t k, std::vector<T> values, std::vector<int32_t> envs) {
    try {
      Store(k, values, envs);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  }
  int32_t button(int env) const { return reinterpret_cast<int32_t*>(store_.rows()[0])[env]; }
  float force(int i) const { return reinterpret_cast<float*>(store_.rows()[1])[i]; }

  const ArrayOf<Action> button_ = Array<&Action::button>("button", Discrete(3));
  const ArrayOf<Action> force_ = Array<&Action::force>("force", Box({2}, {-1}, {1}));
  const ArraySpec specs_[2] = {button_.spec(), force_.spec()};
  ActionStore store_;
};

TEST_F(ActionStoreTest, ScattersRowsToTheirEnvs) {
  Store<int64_t>(0, {2, 1}, {3, 0});
  EXPECT_EQ(button(3), 2);
  EXPECT_EQ(button(0), 1);
  EXPECT_EQ(button(1), 0);
  Store<double>(1, {0.5, -0.5, 7, 8}, {1, 2});
  EXPECT_EQ(force(2), 0.5f);
  EXPECT_EQ(force(3), -0.5f);
  EXPECT_EQ(force(5), 8.0f);  // the env clips to a Box's bounds
}

TEST_F(ActionStoreTest, TakesWhatConvertsWithoutLoss) {
  Store<double>(0, {2.0}, {0});
  EXPECT_EQ(button(0), 2);
  Store<uint8_t>(0, {1}, {0});
  EXPECT_EQ(button(0), 1);
  Store<int32_t>(1, {1, 2}, {0});
  EXPECT_EQ(force(1), 2.0f);
}

TEST_F(ActionStoreTest, NamesTheFirstBadValue) {
  EXPECT_EQ(Refusal<int32_t>(0, {0, 3, 9}, {0, 1, 2}),
            "Task-v0: button[1] is 3; allowed are the integers 0 to 2");
  EXPECT_EQ(Refusal<int64_t>(0, {int64_t{1} << 32}, {0}),
            "Task-v0: button[0] is 4294967296; allowed are the integers 0 to 2");
  EXPECT_EQ(Refusal<float>(0, {0.5}, {0}),
            "Task-v0: button[0] is 0.5; allowed are the integers 0 to 2");
  EXPECT_EQ(Refusal<double>(0, {NAN}, {0}),
            "Task-v0: button[0] is nan; allowed are the integers 0 to 2");
  EXPECT_EQ(Refusal<float>(1, {0, 0, 0, NAN}, {0, 1}),
            "Task-v0: force[1] (element 1) is nan; allowed are finite numbers");
  EXPECT_EQ(Refusal<double>(1, {1e300, 0}, {0}),
            "Task-v0: force[0] (element 0) is 1e+300; allowed are finite numbers");
}

class PlayerActionsTest : public ::testing::Test {
 protected:
  PlayerActionsTest() : store_("Task-v0", {specs_, 2}, 3) {}

  void Store(size_t k, std::vector<int32_t> values, std::vector<int32_t> envs,
             std::vector<int32_t> players) {
    store_.Store(k, {values.data(), DType::kInt32}, envs, players);
  }
  std::vector<int32_t> moves() const {
    const auto* rows = reinterpret_cast<const int32_t*>(store_.rows()[0]);
    return {rows, rows + 9};
  }
  std::vector<float> forces() const {
    const auto* rows = reinterpret_cast<const float*>(store_.rows()[1]);
    return {rows, rows + 18};
  }

  const ArrayOf<Action> move_ = Array<&Action::button>("move", PerPlayer(3, Discrete(9)));
  const ArrayOf<Action> force_ =
      Array<&Action::force>("force", PerPlayer(3, Box({2}, {-1, -1}, {1})));
  const ArraySpec specs_[2] = {move_.spec(), force_.spec()};
  ActionStore store_;
};

TEST_F(PlayerActionsTest, GivesEachEnvItsPlayersAndZerosForTheOthers) {
  Store(0, {1, 2, 3, 4, 5, 6}, {2, 0}, {3, 3});
  EXPECT_EQ(moves(), (std::vector<int32_t>{4, 5, 6, 0, 0, 0, 1, 2, 3}));
  Store(0, {7, 8}, {0, 1, 2}, {1, 1, 0});
  EXPECT_EQ(moves(), (std::vector<int32_t>{7, 0, 0, 8, 0, 0, 0, 0, 0}));
  Store(1, {1, 2, 3, 4, 5, 6}, {1, 0}, {1, 2});
  EXPECT_EQ(forces(), (std::vector<float>{3, 4, 5, 6, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(PlayerActionsTest, NamesTheRowOfAPlayer) {
  try {
    Store(0, {0, 1, 2, 9}, {1, 2}, {3, 1});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "Task-v0: move[3] is 9; allowed are the integers 0 to 8");
  }
}

// A player whose array is smaller in both axes has a bound for each of its own elements.
TEST(ActionStore, FindsThePlaceOfAnElementInAPlayersOwnBounds) {
  const ArrayOf<Action> grid =
      Array<&Action::button>("grid", PerPlayer(2, Box({2, 3}, {0}, {100})));
  const ArrayOf<Action> own =
      Array<&Action::button>("grid", Box({2, 2}, {0}, {1, 2, 3, 4}));  // the rows (1, 2) and (3, 4)
  ArraySpec mine = own.spec();
  mine.players = 2;
  const ArraySpec common = grid.spec();
  const PlayerSpec players[] = {{"small_0", "small", {&mine, 1}, {}},
                                {"large_0", "large", {&common, 1}, {}}};
  ActionStore store("Task-v0", {&common, 1}, 1, {players, 2});
  const int32_t env = 0, both = 2;
  const auto refusal = [&](std::vector<int32_t> values) -> std::string {
    values.resize(12, 0);
    try {
      store.Store(0, {values.data(), DType::kInt32}, {&env, 1}, {&both, 1});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({1, 2, 100, 3, 4, 100, 100, 100}), "");
  EXPECT_EQ(refusal({2}),
            "Task-v0: grid[0] (element 0) of small_0 is 2; allowed are the integers "
            "0 to 1");
  EXPECT_EQ(refusal({0, 3}),
            "Task-v0: grid[0] (element 1) of small_0 is 3; allowed are the integers 0 to 2");
  EXPECT_EQ(refusal({0, 0, 0, 4}),
            "Task-v0: grid[0] (element 3) of small_0 is 4; allowed are the integers 0 to 3");
  EXPECT_EQ(refusal({0, 0, 0, 0, 5}),
            "Task-v0: grid[0] (element 4) of small_0 is 5; allowed are the integers 0 to 4");
}

// 2^31 - 1 as a float is 2^31.
TEST(ActionStore, RefusesAFloatJustAboveTheLargestInteger) {
  struct Wide { View<const int32_t> number; };
  const ArrayOf<Wide> number = Array<&Wide::number>("number", Box({}, {-kInf}, {kInf}));
  const ArraySpec spec = number.spec();
  ActionStore store("Task-v0", {&spec, 1}, 1);
  const int32_t env = 0;
  const float fits = 0x1p30f, too_large = 0x1p31f;
  store.Store(0, {&fits, DType::kFloat32}, {&env, 1});
  EXPECT_EQ(*reinterpret_cast<int32_t*>(store.rows()[0]), 1 << 30);
  EXPECT_THROW(store.Store(0, {&too_large, DType::kFloat32}, {&env, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace parallel_pool
