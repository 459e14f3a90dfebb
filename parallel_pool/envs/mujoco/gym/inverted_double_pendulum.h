// Balance two poles, one on the other, on a cart: Gymnasium 1.4's InvertedDoublePendulum-v5 and
// -v4.
#pragma once

#include <cmath>
#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class InvertedDoublePendulum {
 public:
  static constexpr PictureStyle kStyle =
      kVersion == 5 ? PictureStyle{} : AboveOrigin(0.12250000000000005, 4.1225, -45);

  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 5;
    double healthy_reward = 10.0, reset_noise_scale = 0.1;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    // Position of the cart, sines and cosines of the angles, speeds and the force on the cart (v4:
    // and on the joints).
    View<double> obs;
    View<double> reward_survive, distance_penalty, velocity_penalty;
  };

  static Options<Config> Describe() {
    return {Option<&Config::xml_file>("xml_file", kXmlFileDoc),
            Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
            Option<&Config::healthy_reward>("healthy_reward", "reward of a step that does not end"),
            Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange)};
  }
  static void Complete(Config& config) {
    config.model = LoadRobot(config.xml_file, kModel, kOneTree,
                             {.positions = 3, .speeds = 3, .exactly = true});
    if (config.model->nsite < 1) {
      throw std::invalid_argument("xml_file is '" + config.xml_file +
                                  "', a model without a site; this task needs one, at the tip");
    }
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(*config.model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(8 + kForces))}};
    if (kVersion == 4) return spec;
    Append(spec.state, {Array<&State::reward_survive>("info:reward_survive", AnyNumber()),
                        Array<&State::distance_penalty>("info:distance_penalty", AnyNumber()),
                        Array<&State::velocity_penalty>("info:velocity_penalty", AnyNumber())});
    return spec;
  }

  static unsigned ReadsOf(const Config&) { return kSites | kConstraints; }

  InvertedDoublePendulum(const Config& config, Rng& rng)
      : config_(config), robot_(config.model, config.frame_skip, rng, ReadsOf(config)) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawNormalSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) { return robot_.Act(action.control); }
  Outcome Judge(const auto&) {
    const double x = robot_.data().site_xpos[0], y = robot_.data().site_xpos[2];  // of the tip
    const double *speeds = robot_.qvel(), distance = 0.01 * Square(x) + Square(y - 2);
    const double hurry = 1e-3 * Square(speeds[1]) + 5e-3 * Square(speeds[2]);
    const bool fell = y <= 1;
    shown_ = {config_.healthy_reward * (!fell || kVersion == 4), -distance, -hurry};
    return {.reward = shown_.survive - distance - hurry, .terminated = fell};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    const double* const angles = robot_.qpos() + 1;
    Row(state.obs)
        .Add(robot_.qpos(), 1)
        .AddEach(angles, 2, [](double angle) { return std::sin(angle); })
        .AddEach(angles, 2, [](double angle) { return std::cos(angle); })
        .AddClipped(robot_.qvel(), 3, -kMost, kMost)
        .AddClipped(robot_.data().qfrc_constraint, kForces, -kMost, kMost);
    WriteIfPresent(state.reward_survive, shown_.survive);
    WriteIfPresent(state.distance_penalty, shown_.distance);
    WriteIfPresent(state.velocity_penalty, shown_.velocity);
  }

 private:
  static constexpr char kModel[] = "inverted_double_pendulum.xml";
  static constexpr int kForces = kVersion == 4 ? 3 : 1;  // observed forces, the cart's first
  static constexpr double kMost = 10.0;                  // bound of observed speeds and forces

  const Config config_;
  Robot robot_;
  struct { double survive, distance, velocity; } shown_ = {};  // rewards of the last step
};

}  // namespace parallel_pool::mujoco::gym
