// Walk along a cliff (Sutton & Barto 2018, example 6.6), as in Gymnasium 1.4's CliffWalking-v1.
#pragma once

#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/toy_text/grid.h"
#include "parallel_pool/envs/toy_text/pictures.h"

namespace parallel_pool::toy_text {

class CliffWalking {
 public:
  struct Config { bool is_slippery = false; };
  struct Action { View<const int32_t> direction; };
  struct State {
    View<int64_t> cell;  // row * 12 + column
    View<double> prob;   // probability of the last step's result
  };

  static Options<Config> Describe() {
    return {Option<&Config::is_slippery>("is_slippery", "two of three steps go to a side")};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {
        .action = {Array<&Action::direction>("action", Discrete({"UP", "RIGHT", "DOWN", "LEFT"}))},
        .state = {Array<&State::cell>("obs", Discrete(kGrid.cells())),
                  Array<&State::prob>("info:prob", Box({}, {0}, {1}))}};
  }

  static bool IsDeterministic(const Config& config) { return !config.is_slippery; }

  CliffWalking(const Config& config, Rng& rng) : is_slippery_(config.is_slippery), rng_(rng) {}

  void Reset() {
    rng_.Random();  // Gymnasium draws, although there is only one start
    cell_ = kStart;
    probability_ = 1.0;
  }

  Outcome Step(const Action& action) {
    static constexpr Move kMoves[] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};
    const Slide slide = is_slippery_ ? SlideOnIce(*action.direction, 1.0 / 3, 1.0 / 3, rng_)
                                     : SlideOnGround(*action.direction, rng_);
    cell_ = kGrid.After(cell_, kMoves[slide.direction]);
    probability_ = slide.probability;
    if (!IsCliff(cell_)) return {.reward = -1.0, .terminated = cell_ == kGoal};
    cell_ = kStart;
    return {.reward = -100.0};
  }

  auto Saved() { return std::tie(cell_, probability_); }
  void Observe(const State& state) const {
    *state.cell = cell_;
    *state.prob = probability_;
  }

  static ImageSize RenderSize(const Config&) { return kCliffSize; }
  void Render(View<uint8_t> rgb) const { DrawCliffWalking(rgb, cell_); }
  static constexpr bool kTurnBased = true;
  static int RenderFps(const Config&) { return 4; }
  std::string RenderText() const {
    std::string text;
    for (int cell = 0; cell < kGrid.cells(); ++cell) {
      const int column = cell % kGrid.columns;
      if (column > 0) text += "  ";
      text += cell == cell_ ? 'x' : cell == kGoal ? 'T' : IsCliff(cell) ? 'C' : 'o';
      if (column == kGrid.columns - 1) text += '\n';
    }
    return text + '\n';
  }

 private:
  static constexpr Grid kGrid{4, 12};
  static constexpr int kStart = 36, kGoal = 47;  // the cliff is between them
  static bool IsCliff(int cell) { return cell > kStart && cell < kGoal; }

  const bool is_slippery_;
  Rng& rng_;
  int cell_;
  double probability_;
};

}  // namespace parallel_pool::toy_text
