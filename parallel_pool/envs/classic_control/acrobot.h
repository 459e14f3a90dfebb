// Swing up two links by the joint between them (Sutton 1996), as in Gymnasium 1.4's Acrobot-v1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/classic_control/direction.h"
#include "parallel_pool/envs/classic_control/numpy_power.h"
#include "parallel_pool/envs/classic_control/pictures.h"
#include "parallel_pool/envs/classic_control/reset_bounds.h"

namespace parallel_pool::classic_control {

class Acrobot {
 public:
  struct Config {
    std::string book_or_nips = "book";
    double torque_noise_max = 0.0;  // N m
  };
  struct Action { View<const int32_t> torque; };  // -1, 0 or 1 N m
  struct State {
    View<float> obs;     // cos and sin of theta1, of theta2, then their speeds in rad/s
    View<float> angles;  // theta1, theta2, in rad
  };
  using ResetOptions = ResetBounds<-0.1, 0.1>;

  static Options<Config> Describe() {
    static constexpr const char* kDynamics[] = {"book", "nips"};
    return {Option<&Config::book_or_nips>(
                "book_or_nips", "dynamics of Sutton and Barto's book or of the NIPS paper",
                OneOf(kDynamics)),
            Option<&Config::torque_noise_max>("torque_noise_max", "noise of the torque, in N m",
                                              {.min = 0, .max = 1e300})};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::torque>(
                "action", Discrete({"NEGATIVE_TORQUE", "NOOP", "POSITIVE_TORQUE"}))},
            .state = {Array<&State::obs>("obs", Box({6}, {-1, -1, -1, -1, -kMaxSpeed1, -kMaxSpeed2},
                                                    {1, 1, 1, 1, kMaxSpeed1, kMaxSpeed2})),
                      Array<&State::angles>("info:state", Box({2}, {-kInf}, {kInf}))}};
  }

  Acrobot(const Config& config, Rng& rng)
      : is_nips_(config.book_or_nips == "nips"), noise_(config.torque_noise_max), rng_(rng) {}
  void Reset(const ResetOptions& start) {
    for (double& value : state_) value = static_cast<float>(start.Draw(rng_));
    Look();
  }

  Outcome Step(const Action& action) {
    double torque = *action.torque - 1;
    if (noise_ > 0) torque += rng_.Uniform(-noise_, noise_);
    Integrate(torque);
    auto& [theta1, theta2, speed1, speed2] = state_;
    theta1 = Wrapped(theta1);
    theta2 = Wrapped(theta2);
    speed1 = std::clamp(speed1, -kMaxSpeed1, kMaxSpeed1);
    speed2 = std::clamp(speed2, -kMaxSpeed2, kMaxSpeed2);
    Look();
    const bool up = -link1_.cos - std::cos(theta2 + theta1) > 1.0;
    return {.reward = up ? 0.0 : -1.0, .terminated = up};
  }

  auto Saved() { return std::tie(state_, link1_, link2_); }
  void Observe(const State& state) const {
    state.obs.Assign(link1_.cos, link1_.sin, link2_.cos, link2_.sin, state_[2], state_[3]);
    state.angles.Assign(state_[0], state_[1]);
  }
  static ImageSize RenderSize(const Config&) { return kSwingSize; }
  static int RenderFps(const Config&) { return 15; }
  void Render(View<uint8_t> rgb) const { DrawAcrobot(rgb, state_[0], state_[1]); }

 private:
  using Vector = std::array<double, 4>;  // theta1, theta2 (rad from hanging), their speeds (rad/s)

  void Look() {
    link1_ = DirectionOf(state_[0]);
    link2_ = DirectionOf(state_[1]);
  }

  // One step of the classical Runge-Kutta method.
  void Integrate(double torque) {
    const Vector k1 = Change(state_, link2_, torque);
    const Vector k2 = Change(Moved(k1, kDt / 2), torque);
    const Vector k3 = Change(Moved(k2, kDt / 2), torque);
    const Vector k4 = Change(Moved(k3, kDt), torque);
    for (int i = 0; i < 4; ++i) {
      state_[i] += kDt / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
  }
  Vector Moved(const Vector& k, double dt) const {
    Vector moved;
    for (int i = 0; i < 4; ++i) moved[i] = state_[i] + dt * k[i];
    return moved;
  }

  Vector Change(const Vector& s, double torque) const {
    return Change(s, DirectionOf(s[1]), torque);
  }
  // The time derivative of `s`. Links are 1 m long, with a mass of 1 kg in the middle and an
  // inertia of 1 kg m^2.
  Vector Change(const Vector& s, const Direction& link2, double torque) const {
    const auto [theta1, theta2, speed1, speed2] = s;
    const auto [cos2, sin2] = link2;
    const double d1 = 0.25 + (1.25 + cos2) + 1.0 + 1.0, d2 = 0.25 + 0.5 * cos2 + 1.0;
    const double phi2 = 0.5 * kGravity * std::cos(theta1 + theta2 - M_PI / 2);
    const double phi1 = -0.5 * NumPySquare(speed2) * sin2 - speed2 * speed1 * sin2 +
                        1.5 * kGravity * std::cos(theta1 - M_PI / 2) + phi2;
    double pull = torque + d2 / d1 * phi1;
    if (!is_nips_) pull -= 0.5 * NumPySquare(speed1) * sin2;
    const double change2 = (pull - phi2) / (1.25 - NumPySquare(d2) / d1);
    return {speed1, speed2, -(d2 * change2 + phi1) / d1, change2};
  }

  static double Wrapped(double angle) {
    while (angle > M_PI) angle -= 2 * M_PI;
    while (angle < -M_PI) angle += 2 * M_PI;
    return angle;
  }

  static constexpr double kMaxSpeed1 = 4 * M_PI, kMaxSpeed2 = 9 * M_PI;  // rad/s
  static constexpr double kDt = 0.2, kGravity = 9.8;                     // s, m/s^2
  const bool is_nips_;
  const double noise_;
  Rng& rng_;
  Vector state_;
  Direction link1_, link2_;  // of theta1, theta2: for Observe and the next step
};

}  // namespace parallel_pool::classic_control
