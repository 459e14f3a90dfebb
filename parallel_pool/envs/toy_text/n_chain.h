// A chain with a large reward at its far end (Strens 2000), as in OpenAI Gym's NChain-v0.
#pragma once

#include <string>

#include "parallel_pool/core/env.h"

namespace parallel_pool::toy_text {

class NChain {
 public:
  struct Config {
    int32_t n = 5;
    double slip = 0.2;
    double small = 2.0;
    double large = 10.0;
  };
  struct Action { View<const int32_t> back; };  // to the beginning
  struct State { View<int64_t> link; };

  static Options<Config> Describe() {
    return {Option<&Config::n>("n", "links of the chain", {.min = 1}),
            Option<&Config::slip>("slip", "probability of the other action", {.min = 0, .max = 1}),
            Option<&Config::small>("small", "reward of going back"),
            Option<&Config::large>("large", "reward of going forward at the far end")};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::back>("action", Discrete({"FORWARD", "BACK"}))},
            .state = {Array<&State::link>("obs", Discrete(config.n))}};
  }

  NChain(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset() { link_ = 0; }
  Outcome Step(const Action& action) {
    const bool slips = rng_.Random() < config_.slip;
    if ((*action.back == 1) != slips) {
      link_ = 0;
      return {.reward = config_.small};
    }
    if (link_ == config_.n - 1) return {.reward = config_.large};
    ++link_;
    return {};
  }

  auto Saved() { return std::tie(link_); }
  void Observe(const State& state) const { *state.link = link_; }
  static constexpr bool kTurnBased = true;
  static int RenderFps(const Config&) { return 4; }
  std::string RenderText() const {
    return "link " + std::to_string(link_) + " of 0 to " + std::to_string(config_.n - 1) + "\n";
  }

 private:
  const Config config_;
  Rng& rng_;
  int32_t link_;
};

}  // namespace parallel_pool::toy_text
