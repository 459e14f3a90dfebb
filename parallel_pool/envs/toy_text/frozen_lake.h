// Cross a frozen lake without falling into a hole, as in Gymnasium 1.4's FrozenLake-v1.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/toy_text/colored.h"
#include "parallel_pool/envs/toy_text/lake_map.h"
#include "parallel_pool/envs/toy_text/pictures.h"

namespace parallel_pool::toy_text {

class FrozenLake {
 public:
  struct Config {
    std::string map_name = "4x4";
    Lines desc = {};
    int32_t size = 0;  // rows; 0: those of the map
    bool is_slippery = true;
    double success_rate = 1.0 / 3.0;
    Numbers<3> reward_schedule = {1, 0, 0};
  };
  struct Action { View<const int32_t> direction; };
  struct State {
    View<int64_t> cell;  // row * columns + column
    View<double> prob;   // probability of the last step's result
  };

  static Options<Config> Describe() {
    return {
        Option<&Config::map_name>("map_name", "name of a built-in map", OneOf(kLakeNames)),
        Option<&Config::desc>("desc", "rows of a map of S, F, H and G, in place of map_name"),
        Option<&Config::size>("size", "rows of a built-in map, 4 or 8", {.min = 0}),
        Option<&Config::is_slippery>("is_slippery", "steps may go a quarter turn to the side"),
        Option<&Config::success_rate>("success_rate", "probability that a slippery step goes ahead",
                                      {.min = 0, .max = 1}),
        Option<&Config::reward_schedule>("reward_schedule",
                                         "rewards at the goal, in a hole, elsewhere",
                                         {.min = -1e300, .max = 1e300})};
  }
  static void Complete(Config& config) {
    if (config.size == 0) {
      config.size = MapOf(config).grid.rows;
    } else if (config.desc.text.empty()) {
      config.map_name = LakeMap::NameOf(config.size);
    }
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    CheckSize(config);
    return {
        .action = {Array<&Action::direction>("action", Discrete({"LEFT", "DOWN", "RIGHT", "UP"}))},
        .state = {Array<&State::cell>("obs", Discrete(MapOf(config).grid.cells())),
                  Array<&State::prob>("info:prob", Box({}, {0}, {1}))}};
  }

  FrozenLake(const Config& config, Rng& rng)
      : map_(MapOf(config)),
        starts_(map_.Starts()),
        is_slippery_(config.is_slippery),
        ahead_(config.success_rate),
        rewards_(config.reward_schedule),
        rng_(rng) {}

  void Reset() {
    cell_ = Categorical(starts_, rng_);
    last_ = {kNone, 1.0};
  }

  Outcome Step(const Action& action) {
    static constexpr Move kMoves[] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    const int direction = *action.direction;
    const Slide slide = is_slippery_ ? SlideOnIce(direction, ahead_, (1.0 - ahead_) / 2.0, rng_)
                                     : SlideOnGround(direction, rng_);
    cell_ = map_.grid.After(cell_, kMoves[slide.direction]);
    last_ = {direction, slide.probability};
    const char letter = map_.letters[cell_];
    const int event = letter == 'G' ? 0 : letter == 'H' ? 1 : 2;
    return {.reward = rewards_[event], .terminated = event < 2};
  }

  auto Saved() { return std::tie(cell_, last_); }
  void Observe(const State& state) const {
    *state.cell = cell_;
    *state.prob = last_.probability;
  }

  static ImageSize RenderSize(const Config& config) { return LakeSize(MapOf(config).grid); }
  void Render(View<uint8_t> rgb) const { DrawFrozenLake(rgb, map_, cell_); }
  static constexpr bool kTurnBased = true;
  static int RenderFps(const Config&) { return 4; }
  std::string RenderText() const {
    static constexpr const char* kNames[] = {"Left", "Down", "Right", "Up"};
    std::string text =
        last_.direction == kNone ? "\n" : std::string("  (") + kNames[last_.direction] + ")\n";
    for (int cell = 0; cell < map_.grid.cells(); ++cell) {
      const std::string letter(1, map_.letters[cell]);
      text += cell == cell_ ? Colored(letter, Color::kRed, Style::kHighlight) : letter;
      if (cell % map_.grid.columns == map_.grid.columns - 1) text += '\n';
    }
    return text;
  }

 private:
  static LakeMap MapOf(const Config& config) {
    return config.desc.text.empty() ? LakeMap::Named(config.map_name) : LakeMap(config.desc.text);
  }

  static void CheckSize(const Config& config) {
    const int rows = MapOf(config).grid.rows;
    if (config.size == rows) return;
    throw std::invalid_argument("size is " + std::to_string(config.size) + ", but the map has " +
                                std::to_string(rows) + " rows; leave one of the two out");
  }

  static constexpr int kNone = -1;
  const LakeMap map_;
  const std::vector<double> starts_;
  const bool is_slippery_;
  const double ahead_;
  const Numbers<3> rewards_;
  Rng& rng_;
  int cell_;
  Slide last_;  // the last action's direction, and the probability of its result
};

}  // namespace parallel_pool::toy_text
