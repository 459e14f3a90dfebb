// An env for misuse_test.py: it throws on request, or counts further than JAX's int32.
#include <stdexcept>
#include <tuple>

#include "parallel_pool/core/env.h"

namespace parallel_pool {
namespace {

class Motor {
 public:
  struct Config {};
  enum { kWork, kBreak, kLeap };
  struct Action { View<const int32_t> what; };
  struct State { View<int64_t> obs; };

  static Options<Config> Describe() { return {}; }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::what>("action", Discrete(3))},
            .state = {Array<&State::obs>("obs", Box({1}, {0}, {kInf}))}};
  }

  Motor(const Config&, Rng&) {}
  void Reset() { turns_ = 0; }
  Outcome Step(const Action& action) {
    if (*action.what == kBreak) throw std::runtime_error("the motor broke");
    turns_ += *action.what == kLeap ? int64_t{1} << 40 : 1;
    return {.reward = 1};
  }
  auto Saved() { return std::tie(turns_); }
  void Observe(const State& state) const { state.obs[0] = turns_; }

 private:
  int64_t turns_ = 0;
};

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Motor>("Motor-v0", {.max_episode_steps = 1000});
}

}  // namespace
}  // namespace parallel_pool
