// Level-based foraging (Albrecht and Ramamoorthy 2013, Papoudakis et al. 2021): players on a field
// load foods. A food is loaded if the levels of the players who load it together are at least its
// own. Equal to lbforaging 2.0.0 from the seed.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/foraging/config.h"
#include "parallel_pool/envs/foraging/field.h"
#include "parallel_pool/envs/foraging/observations.h"
#include "parallel_pool/envs/foraging/pictures.h"

namespace parallel_pool::foraging {

class Foraging {
 public:
  using Config = foraging::Config;
  struct Action { View<const int32_t> move; };  // a Move of each player
  struct State {
    View<float> obs;
    View<int32_t> agent;  // the number of each player
    View<double> reward;
  };

  static Options<Config> Describe() { return DescribeOptions(); }
  static void Complete(Config& config) { CompleteOptions(config); }

  static EnvSpec<Action, State> Describe(const Config& config) {
    const int n = config.players;
    std::vector<Player> players;
    for (int i = 0; i < n; ++i) players.push_back({"agent_" + std::to_string(i), "agent"});
    const Space moves = Discrete({"NOOP", "UP", "DOWN", "LEFT", "RIGHT", "LOAD"});
    return {.action = {Array<&Action::move>("action", PerPlayer(n, moves))},
            .state = {Array<&State::obs>("obs", PerPlayer(n, ObservationSpace(config))),
                      Array<&State::agent>("info:players.agent", PerPlayer(n, Discrete(n))),
                      Array<&State::reward>("reward", PerPlayer(n, Box({}, {-kInf}, {kInf})))},
            .players = std::move(players)};
  }

  Foraging(const Config& config, Rng& rng) : config_(config), rng_(rng), field_(config_) {}

  // reset(seed=...) begins as a new env does; other resets know the places of the last episode.
  void Seed(uint64_t) { field_.Forget(); }
  void Reset() { field_.Begin(rng_); }

  Outcome Step(const Action& action) {
    field_.Step({action.move.begin(), action.move.size});
    return {.terminated = field_.is_empty()};
  }

  void Observe(const State& state) const {
    const size_t size = state.obs.size / config_.players;
    for (int i = 0; i < config_.players; ++i) {
      float* const numbers = state.obs.data + i * size;
      if (config_.grid_observation) {
        WriteGrid(config_, field_, i, numbers);
      } else {
        WriteVector(config_, field_, i, numbers);
      }
      state.agent[i] = i;
      state.reward[i] = field_.players()[i].reward;
    }
  }

  auto Saved() { return field_.Saved(); }

  static ImageSize RenderSize(const Config& config) { return PictureSize(config); }
  static int RenderFps(const Config&) { return 5; }
  void Render(View<uint8_t> rgb) const { Draw(config_, field_, rgb); }
  std::string RenderText() const { return TextOf(config_, field_); }

 private:
  const Config config_;
  Rng& rng_;
  Field field_;
};

}  // namespace parallel_pool::foraging
