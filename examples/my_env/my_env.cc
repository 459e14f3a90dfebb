// Keep a ball in the air: it falls and bounces off two walls, and a paddle on the floor sends it
// up again at a random angle. An episode ends when the paddle misses the ball.
#include <algorithm>
#include <cmath>

#include "parallel_pool/core/env.h"

using namespace parallel_pool;

class KeepUp {
 public:
  struct Config { double paddle_width = 0.3; };  // m
  struct Action { View<const int32_t> move; };
  struct State {
    View<float> obs;     // the ball's x, y, vx, vy and the paddle's x, in m and m/s
    View<int32_t> hits;  // hits of this episode
  };

  static Options<Config> Describe() {
    return {Option<&Config::paddle_width>("paddle_width", "in m, of a room of 1 m",
                                          {.min = 0.05, .max = 1.0})};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::move>("action", Discrete({"LEFT", "NOOP", "RIGHT"}))},
            .state = {Array<&State::obs>(
                          "obs", Box({5}, {0, 0, -kInf, -kInf, 0}, {1, kInf, kInf, kInf, 1})),
                      Array<&State::hits>("info:hits", Box({}, {0}, {kInf}))}};
  }

  KeepUp(const Config& config, Rng& rng) : config_(config), rng_(rng) {}

  void Reset() {
    x_ = rng_.Uniform(0.2, 0.8);
    y_ = 1.0;
    vx_ = rng_.Uniform(-kMaxSide, kMaxSide);
    vy_ = 0.0;
    paddle_ = 0.5;
    hits_ = 0;
  }

  Outcome Step(const Action& action) {
    paddle_ = std::clamp(paddle_ + (*action.move - 1) * kPaddleSpeed * kDt, 0.0, 1.0);
    vy_ -= kGravity * kDt;
    x_ += vx_ * kDt;
    y_ += vy_ * kDt;
    if (x_ < 0.0 || x_ > 1.0) vx_ = -vx_;
    x_ = std::clamp(x_, 0.0, 1.0);
    if (y_ > 0.0) return {};

    y_ = 0.0;
    if (std::abs(x_ - paddle_) > config_.paddle_width / 2) return {.terminated = true};
    vx_ = rng_.Uniform(-kMaxSide, kMaxSide);
    vy_ = kBounce;
    ++hits_;
    return {.reward = 1.0};
  }

  void Observe(const State& state) const {
    state.obs.Assign(x_, y_, vx_, vy_, paddle_);
    *state.hits = hits_;
  }

  auto Saved() { return std::tie(x_, y_, vx_, vy_, paddle_, hits_); }

 private:
  static constexpr double kDt = 0.02, kGravity = 9.8;                         // s, m/s^2
  static constexpr double kBounce = 4.0, kMaxSide = 1.0, kPaddleSpeed = 1.5;  // m/s
  const Config config_;
  Rng& rng_;
  double x_, y_, vx_, vy_, paddle_;
  int32_t hits_;
};

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<KeepUp>("KeepUp-v0", {.max_episode_steps = 1000});
}
