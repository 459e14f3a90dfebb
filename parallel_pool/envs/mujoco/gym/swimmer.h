// Swim forwards, in a plane, by bending two joints: Gymnasium 1.4's Swimmer-v5 and -v4.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class Swimmer {
 public:
  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 4;
    double forward_reward_weight = 1.0, ctrl_cost_weight = 1e-4, reset_noise_scale = 0.1;
    bool exclude_current_positions_from_observation = true;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;  // qpos, without x and y, and qvel
    View<double> x_position, y_position, distance_from_origin, x_velocity, y_velocity;
    View<double> reward_forward, reward_ctrl;
    View<double> forward_reward;  // v4 only: a copy of reward_forward
  };

  static Options<Config> Describe() {
    return {Option<&Config::xml_file>("xml_file", kXmlFileDoc),
            Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
            Option<&Config::forward_reward_weight>("forward_reward_weight", kForwardDoc),
            Option<&Config::ctrl_cost_weight>("ctrl_cost_weight", kControlCostDoc),
            Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange),
            Option<&Config::exclude_current_positions_from_observation>(
                "exclude_current_positions_from_observation", "x and y are not observed")};
  }
  static void Complete(Config& config) {
    config.model = LoadRobot(config.xml_file, kModel, kOneTree, {.positions = 2});
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(model.nq + model.nv - Skipped(config))),
                  Array<&State::x_position>("info:x_position", AnyNumber()),
                  Array<&State::y_position>("info:y_position", AnyNumber()),
                  Array<&State::distance_from_origin>("info:distance_from_origin", AnyNumber()),
                  Array<&State::x_velocity>("info:x_velocity", AnyNumber()),
                  Array<&State::y_velocity>("info:y_velocity", AnyNumber()),
                  Array<&State::reward_forward>(
                      kVersion == 4 ? "info:reward_fwd" : "info:reward_forward", AnyNumber()),
                  Array<&State::reward_ctrl>("info:reward_ctrl", AnyNumber())}};
    if (kVersion == 4) {
      spec.state.push_back(Array<&State::forward_reward>("info:forward_reward", AnyNumber()));
    }
    return spec;
  }

  Swimmer(const Config& config, Rng& rng)
      : config_(config), robot_(config.model, config.frame_skip, rng) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    std::copy_n(robot_.qpos(), 2, before_);
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto& action) {
    shown_.x_velocity = (robot_.qpos()[0] - before_[0]) / robot_.dt();
    shown_.y_velocity = (robot_.qpos()[1] - before_[1]) / robot_.dt();
    shown_.reward_forward = config_.forward_reward_weight * shown_.x_velocity;
    shown_.reward_ctrl = -ControlCost(config_.ctrl_cost_weight, action.control);
    return {.reward = shown_.reward_forward + shown_.reward_ctrl};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    const int skipped = Skipped(config_), nq = robot_.model().nq, nv = robot_.model().nv;
    Row(state.obs).Add(robot_.qpos() + skipped, nq - skipped).Add(robot_.qvel(), nv);
    *state.x_position = robot_.qpos()[0];
    *state.y_position = robot_.qpos()[1];
    *state.distance_from_origin = robot_.Distance();
    *state.x_velocity = shown_.x_velocity;
    *state.y_velocity = shown_.y_velocity;
    *state.reward_forward = shown_.reward_forward;
    *state.reward_ctrl = shown_.reward_ctrl;
    WriteIfPresent(state.forward_reward, shown_.reward_forward);
  }

 private:
  static constexpr char kModel[] = "swimmer.xml";

  // Positions that are not part of an observation.
  static int Skipped(const Config& config) {
    return config.exclude_current_positions_from_observation ? 2 : 0;
  }

  const Config config_;
  Robot robot_;
  double before_[2] = {};  // x and y before the step
  // Speeds and rewards of the last step.
  struct { double x_velocity, y_velocity, reward_forward, reward_ctrl; } shown_ = {};
};

}  // namespace parallel_pool::mujoco::gym
