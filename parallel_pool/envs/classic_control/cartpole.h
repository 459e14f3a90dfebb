// Balance a pole on a cart (Barto, Sutton & Anderson 1983), as in Gymnasium 1.4's CartPole-v0 and
// -v1.
#pragma once

#include <cmath>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/classic_control/pictures.h"
#include "parallel_pool/envs/classic_control/reset_bounds.h"

namespace parallel_pool::classic_control {

class CartPole {
 public:
  struct Config { bool sutton_barto_reward = false; };
  struct Action { View<const int32_t> push; };
  struct State { View<float> obs; };  // x (m), x_dot (m/s), theta (rad), theta_dot
  using ResetOptions = ResetBounds<-0.05, 0.05>;

  static Options<Config> Describe() {
    return {Option<&Config::sutton_barto_reward>("sutton_barto_reward",
                                                 "reward 0, and -1 at termination")};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::push>("action", Discrete({"LEFT", "RIGHT"}))},
            .state = {Array<&State::obs>("obs", Box({4}, {-2 * kMaxX, -kInf, -2 * kMaxTheta, -kInf},
                                                    {2 * kMaxX, kInf, 2 * kMaxTheta, kInf}))}};
  }

  CartPole(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset(const ResetOptions& start) {
    for (double* v : {&x_, &x_dot_, &theta_, &theta_dot_}) *v = start.Draw(rng_);
  }

  Outcome Step(const Action& action) {
    const double force = (2 * *action.push - 1) * kForce;
    const double cos = std::cos(theta_), sin = std::sin(theta_);
    const double push = (force + kPoleMoment * (theta_dot_ * theta_dot_) * sin) / kMass;
    const double theta_acc =
        (kGravity * sin - cos * push) / (kLength * (4.0 / 3.0 - kPoleMass * (cos * cos) / kMass));
    x_ += kDt * x_dot_;
    x_dot_ += kDt * (push - kPoleMoment * theta_acc * cos / kMass);
    theta_ += kDt * theta_dot_;
    theta_dot_ += kDt * theta_acc;
    const bool fell = x_ < -kMaxX || x_ > kMaxX || theta_ < -kMaxTheta || theta_ > kMaxTheta;
    return {.reward = config_.sutton_barto_reward ? (fell ? -1.0 : 0.0) : 1.0, .terminated = fell};
  }

  auto Saved() { return std::tie(x_, x_dot_, theta_, theta_dot_); }
  void Observe(const State& state) const { state.obs.Assign(x_, x_dot_, theta_, theta_dot_); }
  static ImageSize RenderSize(const Config&) { return kTrackSize; }
  static int RenderFps(const Config&) { return 50; }
  void Render(View<uint8_t> rgb) const { DrawCartPole(rgb, x_, theta_); }

 private:
  static constexpr double kGravity = 9.8, kPoleMass = 0.1, kMass = 1.0 + kPoleMass;  // m/s^2, kg
  static constexpr double kLength = 0.5, kPoleMoment = kPoleMass * kLength;          // m, kg m
  static constexpr double kForce = 10.0, kDt = 0.02;                                 // N, s
  static constexpr double kMaxX = 2.4, kMaxTheta = 12 * 2 * M_PI / 360;              // m, rad
  const Config config_;
  Rng& rng_;
  double x_, x_dot_, theta_, theta_dot_;
};

}  // namespace parallel_pool::classic_control
