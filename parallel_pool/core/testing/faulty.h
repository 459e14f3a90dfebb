// An env that breaks the rule that its option `fault` names, or none: for tests of
// parallel_pool.check.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"

namespace parallel_pool::testing {

// Up to three players, which enter and leave at random.
class Faulty {
 public:
  struct Config { std::string fault; };
  struct Action {
    View<const int32_t> move;  // one for each player
    View<const float> wind;
  };
  struct State {
    View<float> obs;      // for each player: the last move / 2, a random number
    View<int32_t> steps;  // steps since the reset
    View<float> reward;
    View<float> unlisted;
  };

  static Options<Config> Describe() { return {Option<&Config::fault>("fault", "the broken rule")}; }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const char* const steps = config.fault == "name" ? "info:no-name" : "info:steps";
    const Space move =
        config.fault == "meanings" ? Discrete({"STAY", "GO", "GO"}) : Discrete({"A", "B", "C"});
    return {.action = {Array<&Action::move>("players.move", PerPlayer(3, move)),
                       Array<&Action::wind>("wind", Box({2}, {-kInf}, {1}))},
            .state = {Array<&State::obs>("obs", PerPlayer(3, Box({2}, {0}, {1}))),
                      Array<&State::steps>(steps, Box({}, {0}, {kInf})),
                      Array<&State::reward>("reward", PerPlayer(3, Box({}, {1}, {9})))}};
  }

  Faulty(const Config& config, Rng& rng) : fault_(config.fault), rng_(rng) {}

  void Reset() {
    if (!Is("reset")) steps_ = 0;
    players_ = 3;
    std::fill(moves_, moves_ + 3, 0);
    Draw();
  }
  Outcome Step(const Action& action) {
    ++steps_;
    std::copy(action.move.begin(), action.move.end(), moves_);
    if (Is("crash") && steps_ == 3 && draw_ > 0.5) std::abort();
    while (Is("hang") && steps_ == 3 && draw_ > 0.5) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    if (Is("throw") && action.wind[0] < 0) throw std::runtime_error("the motor broke");
    players_ = Is("seed") ? 2 : static_cast<int>(rng_.Integers(0, 4));
    Draw();
    return {.terminated = steps_ == 11};
  }
  int NumPlayers() const { return players_; }
  auto Saved() { return std::tie(Is("saved") ? unsaved_ : steps_, players_, moves_, draw_); }
  void Observe(const State& state) const {
    if (Is("assign")) state.steps.Assign(1, 2);
    if (Is("index")) state.obs[6] = 1;
    if (Is("unlisted")) *state.unlisted = 1;
    if (Is("behind")) *state.steps.end() = 7;
    if (Is("before")) *(state.obs.begin() - 1) = 7;
    for (int i = 0; i < players_; ++i) {
      state.obs[2 * i] = static_cast<float>(moves_[i]) / 2;
      state.obs[2 * i + 1] = static_cast<float>(draw_);
      state.reward[i] = Is("reward") ? std::numeric_limits<float>::quiet_NaN() : 2.0f;
    }
    if (!Is("unwritten") || steps_ == 0) *state.steps = steps_;
  }

 private:
  bool Is(const char* fault) const { return fault_ == fault; }
  void Draw() {
    static std::atomic<int> draws{0};
    draw_ = rng_.Random();
    if (Is("seed")) draw_ = 0.5;
    if (Is("bounds")) draw_ = 1.5;
    if (Is("nan")) draw_ = std::numeric_limits<double>::quiet_NaN();
    if (Is("global")) draw_ = ++draws / 1e6;
    if (Is("thread") && std::this_thread::get_id() != builder_) draw_ /= 2;
  }

  const std::string fault_;
  const std::thread::id builder_ = std::this_thread::get_id();
  Rng& rng_;
  int steps_ = 0, unsaved_ = 0, players_ = 0;
  int moves_[3] = {};
  double draw_ = 0;
};

}  // namespace parallel_pool::testing
