// The multi-robot warehouse (Papoudakis et al. 2021): agents fetch the shelves that are requested,
// bring them to a goal and then back. Equal to rware 2.0.0 from the seed.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/rware/config.h"
#include "parallel_pool/envs/rware/observations.h"
#include "parallel_pool/envs/rware/pictures.h"
#include "parallel_pool/envs/rware/warehouse.h"

namespace parallel_pool::rware {

class Rware {
 public:
  using Config = rware::Config;
  struct Action { View<const int32_t> move; };  // of each agent: a Move, then its message
  struct State {
    View<float> obs, image, features;
    View<int32_t> agent;  // the number of each agent
    View<double> reward;
  };

  static Options<Config> Describe() { return DescribeOptions(); }
  static void Complete(Config& config) { CompleteOptions(config); }

  static EnvSpec<Action, State> Describe(const Config& config) {
    const int n = config.n_agents;
    EnvSpec<Action, State> spec;
    for (int i = 0; i < n; ++i) spec.players.push_back({"agent_" + std::to_string(i), "agent"});
    std::vector<int> sizes(1 + config.msg_bits, 2);
    sizes[0] = kMoves;
    const Space moves = config.msg_bits > 0
                            ? MultiDiscrete(sizes)
                            : Discrete({"NOOP", "FORWARD", "LEFT", "RIGHT", "TOGGLE_LOAD"});
    spec.action = {Array<&Action::move>("action", PerPlayer(n, moves))};
    const Space vector = Box({NumbersOfVector(config)}, {-kInf}, {kInf});
    const Space features = Box({kFeatures}, {-kInf}, {kInf});
    const Space image = ImageSpace(config);
    switch (config.observations) {
      case ObservationType::kFlattened:
        spec.state = {Array<&State::obs>("obs", PerPlayer(n, vector))};
        break;
      case ObservationType::kImage:
        spec.state = {Array<&State::image>("obs", PerPlayer(n, image))};
        break;
      case ObservationType::kImageDict:
        spec.state = {Array<&State::image>("obs:image", PerPlayer(n, image)),
                      Array<&State::features>("obs:features", PerPlayer(n, features))};
        break;
    }
    spec.state.push_back(Array<&State::agent>("info:players.agent", PerPlayer(n, Discrete(n))));
    spec.state.push_back(Array<&State::reward>("reward", PerPlayer(n, Box({}, {-kInf}, {kInf}))));
    return spec;
  }

  Rware(const Config& config, Rng& rng) : config_(config), rng_(rng), warehouse_(config_) {}

  void Reset() { warehouse_.Begin(rng_); }

  Outcome Step(const Action& action) {
    warehouse_.Step({action.move.begin(), action.move.size}, rng_);
    return {.terminated = warehouse_.is_inactive()};
  }

  void Observe(const State& state) const {
    const int n = config_.n_agents;
    for (int i = 0; i < n; ++i) {
      ObserveAgent(state, i);
      state.agent[i] = i;
      state.reward[i] = warehouse_.agents()[i].reward;
    }
  }

  auto Saved() { return warehouse_.Saved(); }

  static ImageSize RenderSize(const Config& config) { return PictureSize(*config.floor); }
  static int RenderFps(const Config&) { return 10; }
  void Render(View<uint8_t> rgb) const { Draw(warehouse_, rgb); }
  std::string RenderText() const { return TextOf(warehouse_); }

 private:
  void ObserveAgent(const State& state, int agent) const {
    const int n = config_.n_agents;
    if (config_.observations == ObservationType::kFlattened) {
      WriteVector(config_, warehouse_, agent, state.obs.data + agent * (state.obs.size / n));
      return;
    }
    WriteImage(config_, warehouse_, agent, state.image.data + agent * (state.image.size / n));
    if (config_.observations == ObservationType::kImage) return;
    WriteFeatures(warehouse_, agent, state.features.data + agent * kFeatures);
  }

  const Config config_;
  Rng& rng_;
  Warehouse warehouse_;
};

}  // namespace parallel_pool::rware
