// The env of every scenario: actions, spaces, physics, rewards and pictures. A scenario has
//
//   struct Config : GameConfig { ... };
//   static Options<Config> Describe();
//   static World Build(const Config&);            // the entities, not yet at their places
//   static void Begin(const Config&, World&, Rng&);  // draws goals, colors and places
//   static void Reward(const Config&, const World&, std::span<double> rewards);  // of each agent
//   static void Observe(const Config&, const World&, int agent, Row&);
//   static bool IsSolved(const Config&, const World&);  // optional: terminates the episode
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mpe/pictures.h"
#include "parallel_pool/envs/mpe/row.h"
#include "parallel_pool/envs/mpe/world.h"

namespace parallel_pool::mpe {

inline constexpr int kMoves = 5;              // none, left, right, down, up
inline constexpr int kMostNumbers = 1 << 12;  // of an observation

struct GameConfig {
  bool continuous_actions = false;
  bool dynamic_rescaling = true;

  static Options<GameConfig> Describe() {
    return {Option<&GameConfig::continuous_actions>(
                "continuous_actions", "an action is numbers from 0 to 1, not an integer"),
            Option<&GameConfig::dynamic_rescaling>("dynamic_rescaling",
                                                   "discs in pictures shrink as the view grows")};
  }
};

// The options of all scenarios, then those of one.
template <class Config>
Options<Config> DescribeGame(Options<Config> own) {
  Options<Config> options;
  for (const auto& option : GameConfig::Describe()) options.push_back(option);
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

// Numbers of a continuous action.
inline int NumbersOf(const Entity& agent, int word_size) {
  return (agent.is_movable ? kMoves : 0) + (agent.speaks ? word_size : 0);
}

// Values of a discrete action: move + kMoves * word.
inline int ValuesOf(const Entity& agent, int word_size) {
  return (agent.is_movable ? kMoves : 1) * (agent.speaks ? word_size : 1);
}

template <class Scenario>
class Game {
 public:
  using Config = typename Scenario::Config;
  struct Action {
    View<const int32_t> choice;
    View<const float> numbers;
  };
  struct State {
    View<float> obs;
    View<int32_t> agent, role;
    View<double> reward;
  };

  static Options<Config> Describe() { return Scenario::Describe(); }

  static EnvSpec<Action, State> Describe(const Config& config) {
    const World world = Scenario::Build(config);
    const int n = world.num_agents();
    std::vector<Player> players;
    int most_numbers = 0, most_values = 0, longest = 0, roles = 0;
    std::vector<float> scratch(kMostNumbers);
    for (int i = 0; i < n; ++i) {
      const Entity& agent = world.entities[i];
      const int numbers = NumbersOf(agent, world.word_size);
      const int values = ValuesOf(agent, world.word_size);
      Row row(scratch.data());
      Scenario::Observe(config, world, i, row);
      const int length = static_cast<int>(row.end() - scratch.data());
      most_numbers = std::max(most_numbers, numbers);
      most_values = std::max(most_values, values);
      longest = std::max(longest, length);
      roles = std::max(roles, world.roles[i] + 1);
      const Space action = config.continuous_actions ? Box({numbers}, {0}, {1}) : Discrete(values);
      players.push_back({world.names[i].name,
                         world.names[i].role,
                         {{"action", action}, {"obs", Box({length}, {-kInf}, {kInf})}}});
    }
    const Space numbers = Box({most_numbers}, {0}, {1}), any = Box({}, {-kInf}, {kInf});
    return {.action = {config.continuous_actions
                           ? Array<&Action::numbers>("action", PerPlayer(n, numbers))
                           : Array<&Action::choice>("action", PerPlayer(n, Discrete(most_values)))},
            .state = {Array<&State::obs>("obs", PerPlayer(n, Box({longest}, {-kInf}, {kInf}))),
                      Array<&State::agent>("info:players.agent", PerPlayer(n, Discrete(n))),
                      Array<&State::role>("info:players.role", PerPlayer(n, Discrete(roles))),
                      Array<&State::reward>("reward", PerPlayer(n, any))},
            .players = std::move(players)};
  }

  Game(const Config& config, Rng& rng)
      : config_(config),
        rng_(rng),
        world_(Scenario::Build(config)),
        forces_(world_.names.size()),
        rewards_(world_.names.size()) {}

  void Reset() {
    Scenario::Begin(config_, world_, rng_);
    first_range_ = RangeOf(world_);
    std::ranges::fill(rewards_, 0.0);
  }

  Outcome Step(const Action& action) {
    std::ranges::fill(world_.words, 0.0);
    for (int i = 0; i < world_.num_agents(); ++i) {
      forces_[i] = {};
      if (config_.continuous_actions) {
        Act(i, action.numbers.data + i * (action.numbers.size / forces_.size()));
      } else {
        Act(i, action.choice[i]);
      }
    }
    world_.Step(forces_);
    Scenario::Reward(config_, world_, rewards_);
    if constexpr (requires { Scenario::IsSolved(config_, world_); }) {
      return {.terminated = Scenario::IsSolved(config_, world_)};
    }
    return {};
  }

  void Observe(const State& state) const {
    const int n = world_.num_agents();
    const size_t width = state.obs.size / n;
    for (int i = 0; i < n; ++i) {
      float* const begin = state.obs.data + i * width;
      Row row(begin);
      Scenario::Observe(config_, world_, i, row);
      std::fill(row.end(), begin + width, 0.0f);
      state.agent[i] = i;
      state.role[i] = world_.roles[i];
      state.reward[i] = rewards_[i];
    }
  }

  static ImageSize RenderSize(const Config&) { return kPictureSize; }
  static int RenderFps(const Config&) { return 10; }
  void Render(View<uint8_t> rgb) const {
    Draw(world_, config_.dynamic_rescaling ? first_range_ : 0.0, rgb);
  }

  auto Saved() {
    return std::tie(world_.entities, world_.words, world_.goals, first_range_, rewards_);
  }

 private:
  void Act(int i, int32_t choice) {
    static constexpr Point kDirections[kMoves] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const Entity& agent = world_.entities[i];
    if (agent.is_movable) {
      Push(i, kDirections[choice % kMoves]);
      choice /= kMoves;
    }
    if (agent.speaks) world_.word(i)[choice] = 1.0;
  }

  void Act(int i, const float* numbers) {
    const Entity& agent = world_.entities[i];
    const auto at = [&](int k) { return std::clamp(numbers[k], 0.0f, 1.0f); };
    if (agent.is_movable) {
      // The differences are of float32, as the reference's actions are.
      Push(i, {at(2) - at(1), at(4) - at(3)});
      numbers += kMoves;
    }
    if (!agent.speaks) return;
    for (int k = 0; k < world_.word_size; ++k) world_.word(i)[k] = at(k);
  }

  void Push(int i, Point direction) {
    const double acceleration = world_.entities[i].acceleration;
    forces_[i] = {direction.x * acceleration, direction.y * acceleration};
  }

  const Config config_;
  Rng& rng_;
  World world_;
  std::vector<Point> forces_;
  std::vector<double> rewards_;
  double first_range_ = 1.0;  // the largest coordinate when the episode began
};

}  // namespace parallel_pool::mpe
