// Balance a pole on a cart: Gymnasium 1.4's InvertedPendulum-v5 and -v4.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class InvertedPendulum {
 public:
  static constexpr PictureStyle kStyle = {.distance = 2.04};

  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 2;
    double reset_noise_scale = 0.01;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;  // position of the cart, angle of the pole (rad), their speeds
    View<double> reward_survive;
  };

  static Options<Config> Describe() {
    return {Option<&Config::xml_file>("xml_file", kXmlFileDoc),
            Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
            Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange)};
  }
  static void Complete(Config& config) {
    config.model = LoadRobot(config.xml_file, kModel, kOneTree,
                             {.positions = 2, .speeds = 2, .exactly = true});
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(*config.model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(4))}};
    if (kVersion == 4) return spec;
    spec.state.push_back(Array<&State::reward_survive>("info:reward_survive", Box({}, {0}, {1})));
    return spec;
  }

  InvertedPendulum(const Config& config, Rng& rng)
      : config_(config), robot_(config.model, config.frame_skip, rng) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    reward_ = 0;
  }

  Simulation& Act(const auto& action) { return robot_.Act(action.control); }
  Outcome Judge(const auto&) {
    const double *qpos = robot_.qpos(), *qvel = robot_.qvel();
    const auto finite = [](double x) { return std::isfinite(x); };
    const bool up = std::all_of(qpos, qpos + 2, finite) && std::all_of(qvel, qvel + 2, finite) &&
                    std::abs(qpos[1]) <= kMaxAngle;
    reward_ = up || kVersion == 4 ? 1 : 0;
    return {.reward = reward_, .terminated = !up};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, reward_); }
  void Observe(const State& state) const {
    Row(state.obs).Add(robot_.qpos(), 2).Add(robot_.qvel(), 2);
    WriteIfPresent(state.reward_survive, reward_);
  }

 private:
  static constexpr char kModel[] = "inverted_pendulum.xml";
  static constexpr double kMaxAngle = 0.2;  // rad

  const Config config_;
  Robot robot_;
  double reward_ = 0;  // reward of the last step
};

}  // namespace parallel_pool::mujoco::gym
