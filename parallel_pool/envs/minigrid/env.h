// The env of every level: options, spaces and observations. A level is a World that has
//
//   struct Config : LevelConfig { ... };
//   static Options<Config> Describe();
//   static Rules RulesFor(const Config&);  // the size of its grid and its time limit
//   Level(const Config&, Rng&);
//   static bool IsDeterministic(const Config&);  // optional: as in core/env.h
//   void Generate();        // builds a world, places the agent, sets the mission
//   Outcome Act(int move);  // optional: World::Act and what is special in this level
//   auto Saved();           // optional: World::Saved and its own members
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/minigrid/observer.h"
#include "parallel_pool/envs/minigrid/options.h"
#include "parallel_pool/envs/minigrid/world.h"

namespace parallel_pool::minigrid {

template <class Level>
class GridEnv {
 public:
  using Config = typename Level::Config;
  struct Action { View<const int32_t> move; };
  struct State {
    View<uint8_t> image, mission;
    View<int32_t> direction, agent_pos, mission_id;
  };

  static Options<Config> Describe() { return Level::Describe(); }
  static void Complete(Config& config) { config.max_steps = Level::RulesFor(config).max_steps; }

  static EnvSpec<Action, State> Describe(const Config& config) {
    static const std::array<std::string, kMoves> kNames = {"LEFT", "RIGHT",  "FORWARD", "PICKUP",
                                                           "DROP", "TOGGLE", "DONE"};
    const Rules rules = Level::RulesFor(config);
    const double most = kLargestGrid - 1;
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::move>(
            "action", Discrete(std::vector(kNames.begin(), kNames.begin() + Level::kNumMoves)))},
        .state = {Array<&State::image>("obs:image", Observer::ImageSpace(config, rules)),
                  Array<&State::direction>("obs:direction", Discrete(4))}};
    if (config.mission) {
      spec.state.push_back(Array<&State::mission>("obs:mission", Text(Level::kMissionSize)));
    }
    spec.state.push_back(Array<&State::agent_pos>("info:agent_pos", Box({2}, {0}, {most})));
    spec.state.push_back(Array<&State::mission_id>("info:mission_id", Box({}, {-1}, {kInf})));
    return spec;
  }

  static bool IsDeterministic([[maybe_unused]] const Config& config) {
    if constexpr (requires { Level::IsDeterministic(config); }) {
      return Level::IsDeterministic(config);
    }
    return false;
  }

  GridEnv(const Config& config, Rng& rng)
      : config_(config), observer_(config), level_(config, rng) {}

  void Reset() {
    level_.Begin([&] { level_.Generate(); });
    if (level_.mission().size() > mission_.size()) {
      throw std::length_error("the mission '" + level_.mission() + "' is too long");
    }
    WriteMission();
  }

  Outcome Step(const Action& action) {
    Outcome outcome = level_.Act(*action.move);
    outcome.truncated = level_.IsOver();
    return outcome;
  }

  void Observe(const State& state) const {
    observer_.Write(level_, state.image);
    *state.direction = level_.direction();
    state.agent_pos.Assign(level_.agent().x, level_.agent().y);
    *state.mission_id = level_.mission_id();
    if (config_.mission) std::memcpy(state.mission.data, mission_.data(), mission_.size());
  }

  static ImageSize RenderSize(const Config& config) {
    return PictureSize(config, Level::RulesFor(config));
  }
  static int RenderFps(const Config&) { return 10; }
  static constexpr bool kTurnBased = true;
  void Render(View<uint8_t> rgb) const { DrawPicture(config_, level_, rgb); }
  std::string RenderText() const { return TextOf(level_); }

  auto Saved() { return std::tuple_cat(level_.Saved(), std::tie(mission_)); }

 private:
  void WriteMission() {
    mission_.fill(0);
    std::memcpy(mission_.data(), level_.mission().data(), level_.mission().size());
  }

  const Config config_;
  const Observer observer_;
  Level level_;
  std::array<uint8_t, Level::kMissionSize> mission_ = {};  // as a row of the observation
};

}  // namespace parallel_pool::minigrid
