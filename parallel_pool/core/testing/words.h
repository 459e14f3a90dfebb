// An env with the spaces that Echo lacks, for tests of the engine only.
#pragma once

#include <algorithm>
#include <limits>
#include <tuple>

#include "parallel_pool/core/env.h"

namespace parallel_pool::testing {

// Observes its action, the extremes of int16, and a text that is one character longer at each step.
class Words {
 public:
  static constexpr int kSize = 3;  // characters
  struct Action {
    View<const int8_t> pressed;
    View<const int64_t> levels;
  };
  struct State {
    View<uint8_t> text;
    View<int16_t> sound;
    View<int8_t> pressed;
    View<int64_t> levels;
  };

  static EnvSpec<Action, State> Describe(const NoConfig&) {
    using Limits = std::numeric_limits<int16_t>;
    return {
        .action = {Array<&Action::pressed>("pressed", MultiBinary(2)),
                   Array<&Action::levels>("levels", MultiDiscrete({3, 2}))},
        .state = {Array<&State::text>("obs:text", Text(kSize)),
                  Array<&State::sound>("obs:sound", Box({3, 1}, {Limits::min()}, {Limits::max()})),
                  Array<&State::pressed>("obs:pressed", MultiBinary(2)),
                  Array<&State::levels>("obs:levels", MultiDiscrete({3, 2}))}};
  }

  explicit Words(Rng&) {}

  void Reset() { *this = {}; }
  Outcome Step(const Action& action) {
    steps_ = std::min(steps_ + 1, kSize);
    std::ranges::copy(action.pressed, pressed_);
    std::ranges::copy(action.levels, levels_);
    return {};
  }
  auto Saved() { return std::tie(steps_, pressed_, levels_); }
  void Observe(const State& state) const {
    for (int i = 0; i < kSize; ++i) state.text[i] = i < steps_ ? 'a' + i : 0;
    state.sound.Assign(-32768, steps_, 32767);
    std::ranges::copy(pressed_, state.pressed.begin());
    std::ranges::copy(levels_, state.levels.begin());
  }

 private:
  Words() = default;

  int steps_ = 0;
  int8_t pressed_[2] = {};
  int64_t levels_[2] = {};
};

}  // namespace parallel_pool::testing
