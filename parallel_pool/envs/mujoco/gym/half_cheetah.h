// Run forwards, in a plane, with a cheetah's two legs: Gymnasium 1.4's HalfCheetah-v5 and -v4.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class HalfCheetah {
 public:
  static constexpr PictureStyle kStyle = {.distance = 4};

  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 5;
    double forward_reward_weight = 1.0, ctrl_cost_weight = 0.1, reset_noise_scale = 0.1;
    bool exclude_current_positions_from_observation = true;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;  // qpos, without x, and qvel
    View<double> x_position, x_velocity;
    View<double> reward_forward, reward_ctrl;
  };

  static Options<Config> Describe() {
    return {Option<&Config::xml_file>("xml_file", kXmlFileDoc),
            Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
            Option<&Config::forward_reward_weight>("forward_reward_weight", kForwardDoc),
            Option<&Config::ctrl_cost_weight>("ctrl_cost_weight", kControlCostDoc),
            Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange),
            Option<&Config::exclude_current_positions_from_observation>(
                "exclude_current_positions_from_observation", "x is not observed")};
  }
  static void Complete(Config& config) {
    config.model = LoadRobot(config.xml_file, kModel, kFlags, {});
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    return {.action = {Array<&Action::control>("action", ControlSpace(model))},
            .state = {Array<&State::obs>("obs", AnyNumbers(model.nq + model.nv - Skipped(config))),
                      Array<&State::x_position>("info:x_position", AnyNumber()),
                      Array<&State::x_velocity>("info:x_velocity", AnyNumber()),
                      Array<&State::reward_forward>(
                          kVersion == 4 ? "info:reward_run" : "info:reward_forward", AnyNumber()),
                      Array<&State::reward_ctrl>("info:reward_ctrl", AnyNumber())}};
  }

  HalfCheetah(const Config& config, Rng& rng)
      : config_(config), robot_(config.model, config.frame_skip, rng) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawNormalSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    x_before_ = robot_.qpos()[0];
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto& action) {
    shown_.x_velocity = (robot_.qpos()[0] - x_before_) / robot_.dt();
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
    *state.x_velocity = shown_.x_velocity;
    *state.reward_forward = shown_.reward_forward;
    *state.reward_ctrl = shown_.reward_ctrl;
  }

 private:
  static constexpr char kModel[] = "half_cheetah.xml";
  // Parts touch only the floor, so MuJoCo need not search for pairs of bodies (midphase), either.
  static constexpr int kFlags = kOneTree | mjDSBL_MIDPHASE;

  // Positions that are not part of an observation.
  static int Skipped(const Config& config) {
    return config.exclude_current_positions_from_observation ? 1 : 0;
  }

  const Config config_;
  Robot robot_;
  double x_before_ = 0;  // x before the step
  // Speed and rewards of the last step.
  struct { double x_velocity, reward_forward, reward_ctrl; } shown_ = {};
};

}  // namespace parallel_pool::mujoco::gym
