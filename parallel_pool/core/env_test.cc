#include "parallel_pool/core/env.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "parallel_pool/core/byte_string.h"

namespace parallel_pool {
namespace {

// Counts down from its start. 0 terminates; with an even start, Continue goes on from there.
struct Countdown {
  struct Config { int start = 2; };
  struct Action { View<const int32_t> by; };
  struct State { View<int64_t> obs; };
  static Options<Config> Describe() {
    return {Option<&Config::start>("start", "first number", {.min = 1, .max = 9})};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    if (config.start == 5) throw std::invalid_argument("start is 5");
    return {.action = {Array<&Action::by>("action", Discrete(3))},
            .state = {Array<&State::obs>("obs", Box({}, {0}, {9}))}};
  }
  Countdown(const Config& config, Rng&) : config_(config) {
    if (config.start == 7) throw std::runtime_error("start is 7");
  }
  static int RenderFps(const Config& config) { return config.start == 8 ? -2 : config.start; }
  void Reset() { left_ = config_.start; }
  bool Continue() {
    if (config_.start % 2 == 1) return false;
    left_ = 1;
    return true;
  }
  Outcome Step(const Action& action) {
    if (*action.by == 2) throw std::runtime_error("two is too much");
    left_ -= *action.by;
    return {.reward = 1.5, .terminated = left_ == 0};
  }
  void Observe(const State& state) const {
    if (left_ < 0) throw 3;  // not even an exception
    *state.obs = left_;
  }
  Config config_;
  int left_ = 0;
};

struct Group {
  explicit Group(int start, int num_envs = 2) {
    registry.Add<Countdown>("Countdown-v0", {});
    OptionSpecs specs;
    registry.tasks()[0]->GetOptions(&specs, &error);
    OptionValue value = specs.options[0].initial;
    value.integer = start;
    setup.reset(registry.tasks()[0]->Configure({&value, 1}, nullptr, &error));
    if (setup) group.reset(setup->MakeGroup(num_envs, &error));
  }
  Result Turn1(int32_t env, Turn turn, int32_t by = 0) {
    action[env] = by;
    std::byte* actions = reinterpret_cast<std::byte*>(action);
    std::byte* columns = reinterpret_cast<std::byte*>(rows);
    Result result;
    group->Step(&env, &turn, 1, &actions, &result);
    group->Observe(&env, 1, &columns, env, &result);
    return result;
  }
  Registry registry;
  Error error;
  std::unique_ptr<Setup> setup;
  std::unique_ptr<EnvGroup> group;
  int32_t action[2] = {};
  int64_t rows[2] = {-1, -1};
};

TEST(EnvGroup, StepsAndObservesOneEnv) {
  Group g(3);
  ASSERT_TRUE(g.group->Create(1, 0, nullptr, &g.error));
  EXPECT_TRUE(g.Turn1(1, Turn::kReset).new_world);
  EXPECT_EQ(g.rows[1], 3);
  const Result result = g.Turn1(1, Turn::kStep, 1);
  EXPECT_EQ(result.outcome.reward, 1.5);
  EXPECT_FALSE(result.outcome.terminated);
  EXPECT_EQ(g.rows[1], 2);
  EXPECT_EQ(g.rows[0], -1);
}

TEST(EnvGroup, ContinuesInTheSameWorldWhereTheEnvCan) {
  Group even(2), odd(3);
  ASSERT_TRUE(even.group->Create(0, 0, nullptr, &even.error));
  ASSERT_TRUE(odd.group->Create(0, 0, nullptr, &odd.error));
  EXPECT_FALSE(even.Turn1(0, Turn::kContinue).new_world);
  EXPECT_EQ(even.rows[0], 1);
  EXPECT_TRUE(odd.Turn1(0, Turn::kContinue).new_world);
  EXPECT_EQ(odd.rows[0], 3);
}

TEST(EnvGroup, ReportsWhatAnEnvThrows) {
  Group g(1);
  ASSERT_TRUE(g.group->Create(0, 0, nullptr, &g.error));
  g.Turn1(0, Turn::kReset);
  EXPECT_TRUE(g.Turn1(0, Turn::kStep, 2).failed);
  EXPECT_STREQ(g.group->Failure(0), "two is too much");
  g.Turn1(0, Turn::kStep, 1);
  EXPECT_TRUE(g.Turn1(0, Turn::kStep, 1).failed);
  EXPECT_STREQ(g.group->Failure(0), "an exception that is no std::exception");
}

TEST(EnvGroup, ReportsWhyItCannotBeMade) {
  const Group described(5);
  EXPECT_EQ(described.group, nullptr);
  EXPECT_STREQ(described.error.text, "start is 5");
  Group built(7);
  EXPECT_FALSE(built.group->Create(0, 0, nullptr, &built.error));
  EXPECT_STREQ(built.error.text, "start is 7");
}

// Has as many players as its action says. kFirst and kSecond are the players of its arrays.
template <int kFirst, int kSecond, bool kCounts = true>
struct Flock {
  struct Action { View<const int32_t> size; };
  struct State { View<int32_t> first, second; };
  static EnvSpec<Action, State> Describe(const NoConfig&) {
    const Space number = Box({}, {0}, {9});
    const auto each = [&](int n) { return n == -1 ? number : PerPlayer(n, number); };
    return {.action = {Array<&Action::size>("action", Box({}, {-9}, {9}))},
            .state = {Array<&State::first>("obs:first", each(kFirst)),
                      Array<&State::second>("obs:second", each(kSecond))}};
  }
  explicit Flock(Rng&) {}
  void Reset() {}
  Outcome Step(const Action& action) {
    size_ = *action.size;
    return {};
  }
  int NumPlayers() const
    requires kCounts
  {
    return size_;
  }
  void Observe(const State& state) const { std::fill_n(state.first.begin(), size_, 7); }
  int size_ = 0;
};

// A group of one env, not built yet. `setup` is nullptr if Env was refused.
template <class Env>
struct One {
  One() {
    registry.Add<Env>("Env-v0", {});
    setup.reset(registry.tasks()[0]->Configure({}, nullptr, &error));
    if (setup) group.reset(setup->MakeGroup(1, &error));
  }
  Registry registry;
  Error error;
  std::unique_ptr<Setup> setup;
  std::unique_ptr<EnvGroup> group;
};

TEST(EnvGroup, CountsItsPlayers) {
  One<Flock<3, 3>> one;
  EnvGroup* const group = one.group.get();
  ASSERT_TRUE(group->Create(0, 0, nullptr, &one.error));
  const int32_t env = 0;
  const Turn turn = Turn::kStep;
  int32_t rows[2][6] = {};
  std::byte* const columns[] = {reinterpret_cast<std::byte*>(rows[0]),
                                reinterpret_cast<std::byte*>(rows[1])};
  for (int32_t size = -1; size <= 4; ++size) {
    std::byte* const actions = reinterpret_cast<std::byte*>(&size);
    Result result;
    group->Step(&env, &turn, 1, &actions, &result);
    group->Observe(&env, 1, columns, 1, &result);
    const bool possible = size >= 0 && size <= 3;
    EXPECT_EQ(result.failed, !possible);
    EXPECT_EQ(result.players, possible ? size : -1);
    if (possible) continue;
    EXPECT_EQ(group->Failure(0),
              "NumPlayers() is " + std::to_string(size) + "; it must be between 0 and 3");
  }
  EXPECT_EQ(rows[0][2], 0);  // row 0 is another env's
  EXPECT_EQ(rows[0][5], 7);
}

TEST(EnvGroup, HasAllPlayersWithoutNumPlayers) {
  One<Flock<3, -1, false>> one;
  EnvGroup* const group = one.group.get();
  EXPECT_EQ(one.setup->state_spec()[0].players, 3);
  EXPECT_EQ(one.setup->state_spec()[1].players, 0);
  EXPECT_EQ(one.setup->most_players(), 3);
  ASSERT_TRUE(group->Create(0, 0, nullptr, &one.error));
  const int32_t env = 0;
  int32_t row[3];
  std::byte* const columns[] = {reinterpret_cast<std::byte*>(row),
                                reinterpret_cast<std::byte*>(row)};
  Result result;
  group->Observe(&env, 1, columns, 0, &result);
  EXPECT_EQ(result.players, -1);
}

TEST(EnvGroup, RefusesPlayersThatDoNotFit) {
  const One<Flock<2, 4>> differ;
  EXPECT_EQ(differ.setup, nullptr);
  EXPECT_STREQ(differ.error.text,
               "array 'obs:first' is for 2 players and 'obs:second' for 4; all of an env must be "
               "for the same number");
  const One<Flock<-1, -1>> none;
  EXPECT_EQ(none.setup, nullptr);
  EXPECT_STREQ(none.error.text, "there is NumPlayers(), but no array is PerPlayer(...)");
  const One<Flock<-1, 0>> zero;
  EXPECT_EQ(zero.setup, nullptr);
  EXPECT_STREQ(zero.error.text, "PerPlayer(0, ...): an env has 1 to 65536 players");
}

// A number that saves itself in another form, and refuses to load 13.
class Secret {
 public:
  explicit Secret(int number) : number_(std::make_unique<int>(number)) {}
  int number() const { return *number_; }
  void Save(Writer& writer) const {
    const int hidden = *number_ ^ 0x5a;
    WriteAll(writer, std::tie(hidden));
  }
  bool Load(Reader& reader) {
    if (!ReadAll(reader, std::tie(*number_))) return false;
    *number_ ^= 0x5a;
    return *number_ != 13;
  }

 private:
  std::unique_ptr<int> number_;
};

TEST(Saved, HoldsWhatSavesItself) {
  Secret secret(7), other(0);
  int after = 9, other_after = 0;
  ByteWriter state;
  WriteAll(state, std::tie(secret, after));
  EXPECT_EQ(state.written[0], 7 ^ 0x5a);
  ByteReader reader(state.written);
  EXPECT_TRUE(ReadAll(reader, std::tie(other, other_after)));
  EXPECT_EQ(other.number(), 7);
  EXPECT_EQ(other_after, 9);
  EXPECT_FALSE(ReadAll(reader, std::tie(other)));  // nothing is left
  const Secret unlucky(13);
  ByteWriter refused;
  unlucky.Save(refused);
  ByteReader unlucky_reader(refused.written);
  EXPECT_FALSE(ReadAll(unlucky_reader, std::tie(other)));
}

// Counts the calls of Complete in data that its envs share.
struct Shared {
  struct Config { std::shared_ptr<int> loads; };
  struct Action { View<const int32_t> unused; };
  struct State { View<int32_t> obs; };
  static inline int completed = 0;
  static void Complete(Config& config) { config.loads = std::make_shared<int>(++completed); }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::unused>("action", Discrete(1))},
            .state = {Array<&State::obs>("obs", Box({}, {0}, {9}))}};
  }
  Shared(const Config& config, Rng&) : loads(config.loads) {}
  void Reset() {}
  Outcome Step(const Action&) { return {}; }
  void Observe(const State& state) const { *state.obs = *loads; }
  std::shared_ptr<int> loads;
};

TEST(Setup, IsCompletedOnceForAllItsGroups) {
  One<Shared> one;
  Error error;
  const std::unique_ptr<EnvGroup> other(one.setup->MakeGroup(3, &error));
  const int32_t env = 0;
  for (EnvGroup* group : {one.group.get(), other.get()}) {
    ASSERT_TRUE(group->Create(0, 0, nullptr, &error));
    int32_t row = 0;
    std::byte* const column = reinterpret_cast<std::byte*>(&row);
    Result result;
    group->Observe(&env, 1, &column, 0, &result);
    EXPECT_EQ(row, 1);
  }
  EXPECT_EQ(Shared::completed, 1);
}

TEST(EnvGroup, KnowsHowFastItIsWatched) {
  EXPECT_EQ(Group(2).setup->render_fps(), 2);
  EXPECT_EQ(Group(6).setup->render_fps(), 6);
  EXPECT_STREQ(Group(8).error.text, "RenderFps() is -2; it must not be negative");
}

TEST(Registry, KeepsTheOptionsOfATask) {
  Registry registry;
  registry.Add<Countdown>("Countdown-v1", {.max_episode_steps = 7}, {.start = 4});
  const TaskSpec& spec = registry.tasks()[0]->spec();
  EXPECT_STREQ(spec.id, "Countdown-v1");
  EXPECT_EQ(spec.max_episode_steps, 7);
  EXPECT_TRUE(spec.reward_threshold != spec.reward_threshold);
  OptionSpecs specs;
  Error error;
  ASSERT_TRUE(registry.tasks()[0]->GetOptions(&specs, &error));
  ASSERT_EQ(specs.options.size, 1);
  EXPECT_EQ(specs.options[0].initial.integer, 4);
  EXPECT_EQ(specs.options[0].max, 9);
  EXPECT_EQ(specs.reset_options.size, 0);
}

TEST(Registry, ATaskNamesItsSuiteAndItsTwin) {
  Registry registry;
  registry.Add<Countdown>("Countdown-v0", {.twin_of = "Countdown-v1"});
  registry.BeginSuite("new");
  registry.Add<Countdown>("Countdown-v1", {.twin_of = "Countdown-v1"});
  registry.Add<Countdown>("Other-v1", {.suite = "other"});
  const auto spec = [&](int k) { return registry.tasks()[k]->spec(); };
  EXPECT_STREQ(spec(0).suite, "");
  EXPECT_STREQ(spec(0).twin_of, "Countdown-v1");
  EXPECT_STREQ(spec(1).suite, "new");
  EXPECT_STREQ(spec(1).twin_of, "");
  EXPECT_STREQ(spec(2).suite, "other");
}

}  // namespace
}  // namespace parallel_pool
