// Rock a car out of a valley (Moore 1990), as in Gymnasium 1.4's MountainCar-v0.
#pragma once

#include <algorithm>
#include <cmath>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/classic_control/pictures.h"
#include "parallel_pool/envs/classic_control/reset_bounds.h"

namespace parallel_pool::classic_control {

class MountainCar {
 public:
  struct Config { double goal_velocity = 0.0; };
  struct Action { View<const int32_t> push; };
  struct State { View<float> obs; };  // position, velocity
  using ResetOptions = ResetBounds<-0.6, -0.4>;

  static Options<Config> Describe() {
    return {Option<&Config::goal_velocity>("goal_velocity", "least speed at the flag")};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::push>("action", Discrete({"LEFT", "NOOP", "RIGHT"}))},
            .state = {Array<&State::obs>(
                "obs", Box({2}, {kMinPosition, -kMaxSpeed}, {kMaxPosition, kMaxSpeed}))}};
  }

  MountainCar(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset(const ResetOptions& start) {
    position_ = start.Draw(rng_);
    velocity_ = 0.0;
  }

  Outcome Step(const Action& action) {
    velocity_ += (*action.push - 1) * kForce + std::cos(3 * position_) * -kGravity;
    velocity_ = std::clamp(velocity_, -kMaxSpeed, kMaxSpeed);
    position_ = std::clamp(position_ + velocity_, kMinPosition, kMaxPosition);
    if (position_ == kMinPosition && velocity_ < 0) velocity_ = 0.0;  // the wall on the left
    return {.reward = -1.0, .terminated = position_ >= kGoal && velocity_ >= config_.goal_velocity};
  }

  auto Saved() { return std::tie(position_, velocity_); }
  void Observe(const State& state) const { state.obs.Assign(position_, velocity_); }
  static ImageSize RenderSize(const Config&) { return kTrackSize; }
  static int RenderFps(const Config&) { return 30; }
  void Render(View<uint8_t> rgb) const { DrawMountainCar(rgb, position_, kGoal); }

 private:
  static constexpr double kMinPosition = -1.2, kMaxPosition = 0.6, kGoal = 0.5;
  static constexpr double kMaxSpeed = 0.07, kForce = 0.001, kGravity = 0.0025;  // per step
  const Config config_;
  Rng& rng_;
  double position_, velocity_;
};

}  // namespace parallel_pool::classic_control
