// A game with lives, each an episode for the learner: for tests of the statistics of episodes.
#pragma once

#include <tuple>
#include <utility>

#include "parallel_pool/core/env.h"

namespace parallel_pool::testing {

// Its action says how a step ends. A step has the reward 1, and the true reward 10.
class Game {
 public:
  enum { kGoOn, kLoseLife, kLoseLast, kEnd };
  struct Action { View<const int32_t> what; };
  struct State {
    View<int32_t> obs;         // steps of the game
    View<float> reward;        // before clipping
    View<int32_t> terminated;  // 1 if the game is over
  };

  static EnvSpec<Action, State> Describe(const NoConfig&) {
    return {.action = {Array<&Action::what>("action", Discrete(4))},
            .state = {Array<&State::obs>("obs", Box({}, {0}, {kInf})),
                      Array<&State::reward>("info:reward", Box({}, {0}, {10})),
                      Array<&State::terminated>("info:terminated", Box({}, {0}, {1}))}};
  }

  explicit Game(Rng&) {}
  void Reset() { steps_ = what_ = 0; }
  // After kLoseLast the game ends between the episodes, and no row shows it.
  bool Continue() { return std::exchange(what_, kGoOn) == kLoseLife; }
  Outcome Step(const Action& action) {
    ++steps_;
    what_ = *action.what;
    return {.reward = 1.0, .terminated = what_ != kGoOn};
  }
  auto Saved() { return std::tie(steps_, what_); }
  void Observe(const State& state) const {
    *state.obs = steps_;
    *state.reward = 10;
    *state.terminated = what_ == kEnd ? 1 : 0;
  }

 private:
  int steps_ = 0, what_ = kGoOn;
};

}  // namespace parallel_pool::testing
