// A View that is used wrongly fails its env; it never writes outside of the row.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "parallel_pool/core/env.h"

namespace parallel_pool {
namespace {

// Its action is the mistake of the next Step or Observe.
struct Careless {
  enum Mistake {
    kNone,
    kMoreValues,
    kFewerValues,
    kNoValues,
    kIndex,
    kNumber,
    kHiddenNumber,
    kHiddenIndex,
    kHiddenAssign,
    kHiddenCopy,
    kHiddenFill,
    kHiddenData,
    kPart,
    kFirstOfStep,
    kActionIndex = kFirstOfStep,
    kHiddenAction,
  };
  struct Action { View<const int32_t> mistake, hidden; };
  struct State {
    View<float> obs;
    View<int64_t> number, nothing;
    View<uint8_t> hidden;
  };
  static EnvSpec<Action, State> Describe(const NoConfig&) {
    return {.action = {Array<&Action::mistake>("action", Discrete(99))},
            .state = {Array<&State::obs>("obs", Box({4}, {0}, {9})),
                      Array<&State::number>("info:number", Box({}, {0}, {9})),
                      Array<&State::nothing>("info:nothing", Box({0}, {0}, {9}))}};
  }

  explicit Careless(Rng&) {}
  void Reset() {}
  Outcome Step(const Action& action) {
    mistake = *action.mistake;
    if (mistake == kActionIndex) mistake = action.mistake[1];
    if (mistake == kHiddenAction) mistake = *action.hidden;
    return {};
  }
  void Observe(const State& state) const {
    constexpr uint8_t kBytes[] = {1, 2, 3};
    if (mistake == kMoreValues) return state.obs.Assign(1, 2, 3, 4, 5);
    if (mistake == kFewerValues) return state.obs.Assign(1, 2, 3);
    if (mistake == kNoValues) return state.obs.Assign();
    if (mistake == kPart) return View<float>{state.obs.data + 2, 2}.Assign(1, 2, 3);
    if (mistake == kIndex) state.obs[4] = 1;
    if (mistake == kNumber) *state.nothing = 1;
    if (mistake == kHiddenNumber) *state.hidden = 1;
    if (mistake == kHiddenIndex) state.hidden[0] = 1;
    if (mistake == kHiddenAssign) state.hidden.Assign();
    if (mistake == kHiddenCopy) std::copy_n(kBytes, 3, state.hidden.begin());
    if (mistake == kHiddenFill) std::ranges::fill(state.hidden, uint8_t{1});
    if (mistake == kHiddenData) state.hidden.data[0] = 1;
    state.obs.Assign(1, 2, 3, 4);
    *state.number = state.hidden.size + (state.hidden.data == nullptr ? 5 : 0);
    state.nothing.Assign();
    std::ranges::fill(state.nothing, 1);
  }
  int mistake = kNone;
};

class ViewTest : public ::testing::Test {
 protected:
  ViewTest() {
    registry_.Add<Careless>("Careless-v0", {});
    setup_.reset(registry_.tasks()[0]->Configure({}, nullptr, &error_));
    group_.reset(setup_->MakeGroup(1, &error_));
    group_->Create(0, 0, nullptr, &error_);
  }
  // The message of a step with this mistake, or "". Row 1 of 3 is the env's.
  std::string Step(int32_t mistake) {
    const int32_t env = 0;
    const Turn turn = Turn::kStep;
    std::byte* actions = reinterpret_cast<std::byte*>(&mistake);
    std::byte* const columns[] = {reinterpret_cast<std::byte*>(obs_.data()),
                                  reinterpret_cast<std::byte*>(numbers_.data()), nullptr};
    Result result;
    group_->Step(&env, &turn, 1, &actions, &result);
    group_->Observe(&env, 1, columns, 1, &result);
    return result.failed ? group_->Failure(0) : "";
  }

  Registry registry_;
  Error error_;
  std::unique_ptr<parallel_pool::Setup> setup_;  // testing::Test has another Setup
  std::unique_ptr<EnvGroup> group_;
  std::array<float, 12> obs_ = {};
  std::array<int64_t, 3> numbers_ = {};
};

TEST_F(ViewTest, WritesItsRow) {
  EXPECT_EQ(Step(Careless::kNone), "");
  EXPECT_EQ(obs_, (std::array<float, 12>{0, 0, 0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers_, (std::array<int64_t, 3>{0, 5}));
}

TEST_F(ViewTest, EveryMistakeIsAnErrorInWords) {
  const std::string hidden = "the env uses a View that Describe does not list; it lists ";
  const std::pair<Careless::Mistake, std::string> errors[] = {
      {Careless::kMoreValues, "Assign got 5 values for 'obs', a View of 4 elements"},
      {Careless::kFewerValues, "Assign got 3 values for 'obs', a View of 4 elements"},
      {Careless::kNoValues, "Assign got 0 values for 'obs', a View of 4 elements"},
      {Careless::kPart, "Assign got 3 values for 'obs', a View of 2 elements"},
      {Careless::kIndex, "index 4 of 'obs', a View of 4 elements"},
      {Careless::kNumber, "index 0 of 'info:nothing', a View of 0 elements"},
      {Careless::kHiddenNumber, hidden + "obs, info:number, info:nothing"},
      {Careless::kHiddenIndex, hidden + "obs, info:number, info:nothing"},
      {Careless::kHiddenAssign, ""},  // nothing is assigned
      {Careless::kHiddenCopy, hidden + "obs, info:number, info:nothing"},
      {Careless::kHiddenFill, hidden + "obs, info:number, info:nothing"},
      {Careless::kHiddenData, hidden + "obs, info:number, info:nothing"},
      {Careless::kActionIndex, "index 1 of 'action', a View of 1 elements"},
      {Careless::kHiddenAction, hidden + "action"},
  };
  for (const auto& [mistake, words] : errors) {
    obs_ = {};
    EXPECT_EQ(Step(mistake), words);
    for (const size_t i : {0, 1, 2, 3, 8, 9, 10, 11}) EXPECT_EQ(obs_[i], 0) << words;
  }
  EXPECT_EQ(Step(Careless::kNone), "");
}

// The error of a task that cannot be configured.
template <class Env>
std::string Mistake() {
  Registry registry;
  registry.Add<Env>("Wrong-v0", {});
  Error error;
  const std::unique_ptr<Setup> setup(registry.tasks()[0]->Configure({}, nullptr, &error));
  return error.text;
}

template <int kMistake>
struct Wrong : Careless {
  static EnvSpec<Action, State> Describe(const NoConfig&) {
    auto spec = Careless::Describe({});
    if (kMistake == 0) spec.state.push_back(Array<&State::obs>("info:twice", Box({4}, {0}, {9})));
    if (kMistake == 1) spec.state.push_back(Array<&State::hidden>("info:x", Box({-2}, {0}, {9})));
    if (kMistake == 2) spec.state.push_back(Array<&State::hidden>("info:x", Box({2}, {}, {9})));
    return spec;
  }
  using Careless::Careless;
};

struct Mixed {
  struct Action { View<const int32_t> none; };
  struct State {
    int64_t number;
    View<float> obs;
    int64_t other;
  };
  static EnvSpec<Action, State> Describe(const NoConfig&) {
    return {.action = {Array<&Action::none>("action", Discrete(1))},
            .state = {Array<&State::obs>("obs", Box({}, {0}, {9}))}};
  }
  explicit Mixed(Rng&) {}
  void Reset() {}
  Outcome Step(const Action&) { return {}; }
  void Observe(const State&) const {}
};

TEST(Describe, RefusesAStructWithOtherMembers) {
  EXPECT_EQ(Mistake<Mixed>(), "array 'obs': its struct holds more than Views");
}

TEST(Describe, RefusesArraysThatHaveNoRowOfTheirOwn) {
  EXPECT_EQ(Mistake<Wrong<0>>(),
            "the arrays 'obs' and 'info:twice' are in one View; each needs its own");
  EXPECT_EQ(Mistake<Wrong<1>>(), "array 'info:x' has an axis of -2 elements");
  EXPECT_EQ(Mistake<Wrong<2>>(),
            "array 'info:x' has 2 elements, but a bound has 0 numbers; it needs one for all or one "
            "for each");
}

}  // namespace
}  // namespace parallel_pool
