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
  struct Action { View<const float> force; };  // is clipped to -1 .. 1
  struct State { View<float> obs; };           // position, velocity
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
    const bool arrived = is_new_ ? Move<double>(*action.force) : Move<float>(*action.force);
    is_new_ = false;
    const double force = *action.force;
    return {.reward = (arrived ? 100.0 : 0.0) - force * force * 0.1, .terminated = arrived};
  }

  auto Saved() { return std::tie(position_, velocity_, is_new_); }
  void Observe(const State& state) const { state.obs.Assign(position_, velocity_); }
  static ImageSize RenderSize(const Config&) { return kTrackSize; }
  static int RenderFps(const Config&) { return 30; }
  void Render(View<uint8_t> rgb) const { DrawMountainCar(rgb, position_, kGoal); }

 private:
  // Moves the car by one step, in numbers of type T; whether it is then at the flag.
  template <class T>
  bool Move(float force) {
    T position = static_cast<T>(position_), velocity = static_cast<T>(velocity_);
    velocity += static_cast<T>(Push(force, kGravity * std::cos(static_cast<double>(3 * position))));
    velocity = std::clamp(velocity, static_cast<T>(-kMaxSpeed), static_cast<T>(kMaxSpeed));
    constexpr T wall = static_cast<T>(kMinPosition);
    position = std::clamp(position + velocity, wall, static_cast<T>(kMaxPosition));
    if (position == wall && velocity < 0) velocity = 0;
    position_ = static_cast<float>(position);
    velocity_ = static_cast<float>(velocity);
    return position >= static_cast<T>(kGoal) && velocity >= static_cast<T>(config_.goal_velocity);
  }

  // The change of speed. In Gymnasium a clipped force is a Python float, so the formula is float64.
  static double Push(float force, double slope) {
    if (force < -1 || force > 1) return (force < 0 ? -kPower : kPower) - slope;
    return force * static_cast<float>(kPower) - static_cast<float>(slope);
  }

  static constexpr double kMinPosition = -1.2, kMaxPosition = 0.6, kGoal = 0.45;
  static constexpr double kMaxSpeed = 0.07, kPower = 0.0015, kGravity = 0.0025;  // per step
  const Config config_;
  Rng& rng_;
  double position_, velocity_;
  bool is_new_;  // before the first step: the state is float64
};

}  // namespace parallel_pool::classic_control
