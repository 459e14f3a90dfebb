// An env whose step takes a given time, for scaling.py: any further time is the pool's own cost.
#include <algorithm>
#include <chrono>

#include "parallel_pool/core/env.h"

using namespace parallel_pool;

class Spin {
 public:
  struct Config {
    double spin_us = 20;
    int32_t row_bytes = 64;
  };
  struct Action { View<const int32_t> unused; };
  struct State { View<uint8_t> obs; };

  static Options<Config> Describe() {
    return {Option<&Config::spin_us>("spin_us", "wall time that a step computes, in us",
                                     {.min = 0, .max = 1e6}),
            Option<&Config::row_bytes>("row_bytes", "size of the observation", {.min = 1})};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::unused>("action", Discrete(2))},
            .state = {Array<&State::obs>("obs", Box({config.row_bytes}, {0}, {255}))}};
  }

  Spin(const Config& config, Rng&) : step_(config.spin_us) {}

  void Reset() {}
  // Keeps its processor busy, as an env that computes.
  Outcome Step(const Action&) {
    const auto end = Clock::now() + step_;
    while (Clock::now() < end) continue;
    ++steps_;
    return {};
  }
  void Observe(const State& state) const { std::fill(state.obs.begin(), state.obs.end(), steps_); }

 private:
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double, std::micro> step_;
  uint8_t steps_ = 0;
};

PARALLEL_POOL_FAMILY(registry) {
  // Episodes are endless: a reset would be a step without cost.
  registry.Add<Spin>("Spin-v0", {.max_episode_steps = 2000000000});
}
