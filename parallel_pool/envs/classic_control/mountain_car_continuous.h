// Rock a car out of a valley by any force, as in Gymnasium 1.4's MountainCarContinuous-v0. In
// Gymnasium, a state is two float32 from the first step on, and NumPy computes in float32.
#pragma once

#include <algorithm>
#include <cmath>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/classic_control/pictures.h"
#include "parallel_pool/envs/classic_control/reset_bounds.h"

namespace parallel_pool::classic_control {

class MountainCarContinuous {
 public:
  struct Config { double goal_velocity = 0.0; };
  struct Action { View<const AnyFloat> force; };  // is clipped to -1 .. 1
  struct State { View<float> obs; };              // position, velocity
  using ResetOptions = ResetBounds<-0.6, -0.4>;

  static Options<Config> Describe() {
    return {Option<&Config::goal_velocity>("goal_velocity", "least speed at the flag")};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::force>("action", Box({1}, {-1}, {1}))},
            .state = {Array<&State::obs>(
                "obs", Box({2}, {kMinPosition, -kMaxSpeed}, {kMaxPosition, kMaxSpeed}))}};
  }

  MountainCarContinuous(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset(const ResetOptions& start) {
    position_ = start.Draw(rng_);
    velocity_ = 0.0;
    is_new_ = true;
  }

  Outcome Step(const Action& action) {
    const bool arrived = action.force.Visit([this](auto force) { return Drive(*force); });
    is_new_ = false;
    return {.reward = (arrived ? 100.0 : 0.0) - NumPySquare(*action.force) * 0.1,
            .terminated = arrived};
  }

  auto Saved() { return std::tie(position_, velocity_, is_new_); }
  void Observe(const State& state) const { state.obs.Assign(position_, velocity_); }
  static ImageSize RenderSize(const Config&) { return kTrackSize; }
  static int RenderFps(const Config&) { return 30; }
  void Render(View<uint8_t> rgb) const { DrawMountainCar(rgb, position_, kGoal); }

 private:
  // In Gymnasium a clipped force is a Python float, which takes the type of the numbers it meets. A
  // force of float64 makes all numbers float64.
  template <class Force>
  bool Drive(Force force) {
    const bool is_clipped = force < -1 || force > 1;
    const bool is_wide = std::is_same_v<Force, double> && !is_clipped;
    // Between resets the position is a float32, and so is its product with 3.
    const double angle = is_new_ ? 3 * position_ : 3 * static_cast<float>(position_);
    const double slope = kGravity * std::cos(angle);
    const double push = is_clipped ? (force < 0 ? -kPower : kPower) - slope
                                   : force * static_cast<Force>(kPower) - static_cast<Force>(slope);
    return is_new_ || is_wide ? Move<double>(push) : Move<float>(push);
  }

  // Changes the speed by `push` and moves the car by one step, in numbers of type T; whether it is
  // then at the flag.
  template <class T>
  bool Move(double push) {
    T position = static_cast<T>(position_), velocity = static_cast<T>(velocity_);
    velocity += static_cast<T>(push);
    velocity = std::clamp(velocity, static_cast<T>(-kMaxSpeed), static_cast<T>(kMaxSpeed));
    constexpr T wall = static_cast<T>(kMinPosition);
    position = std::clamp(position + velocity, wall, static_cast<T>(kMaxPosition));
    if (position == wall && velocity < 0) velocity = 0;
    position_ = static_cast<float>(position);
    velocity_ = static_cast<float>(velocity);
    return position >= static_cast<T>(kGoal) && velocity >= static_cast<T>(config_.goal_velocity);
  }

  static constexpr double kMinPosition = -1.2, kMaxPosition = 0.6, kGoal = 0.45;
  static constexpr double kMaxSpeed = 0.07, kPower = 0.0015, kGravity = 0.0025;  // per step
  const Config config_;
  Rng& rng_;
  double position_, velocity_;
  bool is_new_;  // before the first step: the state is float64
};

}  // namespace parallel_pool::classic_control
