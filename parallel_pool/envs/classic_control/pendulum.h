// Swing a pendulum up and keep it upright, as in Gymnasium 1.4's Pendulum-v1. The older Pendulum-v0
// differs in one rule: the speed that turns the rod is not yet clipped.
#pragma once

#include <algorithm>
#include <cmath>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/classic_control/direction.h"
#include "parallel_pool/envs/classic_control/numpy_power.h"
#include "parallel_pool/envs/classic_control/pictures.h"

namespace parallel_pool::classic_control {

class Pendulum {
 public:
  struct Config {
    double g = 10.0;          // m/s^2
    bool clips_late = false;  // Pendulum-v0: clips the speed after the rod has turned
  };
  struct Action { View<const AnyFloat> torque; };  // N m, clipped to -2 .. 2
  struct State { View<float> obs; };               // cos(theta), sin(theta), theta_dot
  struct ResetOptions {
    double x_init = M_PI, y_init = 1.0;

    static Options<ResetOptions> Describe() {
      return {Option<&ResetOptions::x_init>("x_init", "largest angle of the first state, in rad",
                                            {.min = 0, .max = 1e300}),
              Option<&ResetOptions::y_init>("y_init", "largest speed of the first state, in rad/s",
                                            {.min = 0, .max = 1e300})};
    }
  };

  static Options<Config> Describe() {
    return {Option<&Config::g>("g", "gravity in m/s^2", {.min = -1e300, .max = 1e300})};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {
        .action = {Array<&Action::torque>("action", Box({1}, {-kMaxTorque}, {kMaxTorque}))},
        .state = {Array<&State::obs>("obs", Box({3}, {-1, -1, -kMaxSpeed}, {1, 1, kMaxSpeed}))}};
  }

  Pendulum(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset(const ResetOptions& start) {
    theta_ = rng_.Uniform(-start.x_init, start.x_init);
    theta_dot_ = rng_.Uniform(-start.y_init, start.y_init);
    rod_ = DirectionOf(theta_);
    torque_ = 0;
  }

  Outcome Step(const Action& action) {
    return action.torque.Visit([this]<class T>(View<const T> torque) {
      return Swing(std::clamp(*torque, T{-kMaxTorque}, T{kMaxTorque}));
    });
  }

  auto Saved() { return std::tie(theta_, theta_dot_, rod_, torque_); }
  void Observe(const State& state) const { state.obs.Assign(rod_.cos, rod_.sin, theta_dot_); }
  static ImageSize RenderSize(const Config&) { return kSwingSize; }
  static int RenderFps(const Config&) { return 30; }
  void Render(View<uint8_t> rgb) const { DrawPendulum(rgb, theta_, torque_); }

 private:
  // A step with a torque of float or double, in whose precision NumPy computes.
  template <class T>
  Outcome Swing(T torque) {
    const double cost = NumPySquare(Normalized(theta_)) + 0.1 * NumPySquare(theta_dot_) +
                        static_cast<T>(0.001) * NumPySquare(torque);
    double speed = theta_dot_ + (3 * config_.g / 2 * Lever() + T{3} * torque) * kDt;
    if (config_.clips_late) theta_ += speed * kDt;
    speed = std::clamp(speed, -kMaxSpeed, kMaxSpeed);
    if (!config_.clips_late) theta_ += speed * kDt;
    theta_dot_ = speed;
    rod_ = DirectionOf(theta_);
    torque_ = static_cast<float>(torque);
    return {.reward = -cost};
  }

  // Acceleration by gravity. v0 writes it as another formula, which rounds differently.
  double Lever() const { return config_.clips_late ? -std::sin(theta_ + M_PI) : rod_.sin; }

  // The angle within -pi .. pi. For less than two turns, subtraction equals fmod without rounding.
  static double Normalized(double angle) {
    double turned = angle + M_PI;
    if (std::abs(turned) >= 4 * M_PI) turned = std::fmod(turned, 2 * M_PI);
    if (turned >= 2 * M_PI) turned -= 2 * M_PI;
    if (turned <= -2 * M_PI) turned += 2 * M_PI;
    if (turned < 0) turned += 2 * M_PI;
    return turned - M_PI;
  }

  static constexpr double kMaxSpeed = 8.0, kDt = 0.05;  // rad/s, s
  static constexpr float kMaxTorque = 2.0;              // N m
  const Config config_;
  Rng& rng_;
  double theta_, theta_dot_;  // rad from upright, rad/s; 1 kg, 1 m
  Direction rod_;             // of theta_: for Observe and the next step
  float torque_;              // of the last step, for the picture
};

}  // namespace parallel_pool::classic_control
