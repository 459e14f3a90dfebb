// A robot that runs forwards, in a plane, on one or two legs: common parts of Gymnasium 1.4's
// Hopper and Walker2d.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

// A `Body` has
//
//   static constexpr PictureStyle kStyle;               // the view of the free camera
//   static constexpr const char* kModel;           // the model file
//   static constexpr Numbers<2> kHealthyZ, kHealthyAngle;  // defaults
//   static constexpr bool kStateMatters;           // whether healthy_state_range is an option
template <class Body, int kVersion>
class PlanarRunner {
 public:
  static constexpr PictureStyle kStyle = Body::kStyle;

  struct Config {
    std::string xml_file = Body::kModel;
    int frame_skip = 4;
    double forward_reward_weight = 1.0, ctrl_cost_weight = 1e-3, healthy_reward = 1.0;
    bool terminate_when_unhealthy = true;
    Numbers<2> healthy_z_range = Body::kHealthyZ, healthy_angle_range = Body::kHealthyAngle;
    Numbers<2> healthy_state_range = {-100.0, 100.0};
    double reset_noise_scale = 5e-3;
    bool exclude_current_positions_from_observation = true;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;  // qpos, without x, and qvel within -10 .. 10
    View<double> x_position, z_distance_from_origin, x_velocity;
    View<double> reward_forward, reward_ctrl, reward_survive;
  };

  static Options<Config> Describe() {
    Options<Config> options = {
        Option<&Config::xml_file>("xml_file", kXmlFileDoc),
        Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
        Option<&Config::forward_reward_weight>("forward_reward_weight", kForwardDoc),
        Option<&Config::ctrl_cost_weight>("ctrl_cost_weight", kControlCostDoc),
        Option<&Config::healthy_reward>("healthy_reward", kHealthyDoc),
        Option<&Config::terminate_when_unhealthy>("terminate_when_unhealthy", kTerminateDoc),
        Option<&Config::healthy_z_range>("healthy_z_range", kHealthyZDoc),
        Option<&Config::healthy_angle_range>("healthy_angle_range", kHealthyAngleDoc),
        Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange),
        Option<&Config::exclude_current_positions_from_observation>(
            "exclude_current_positions_from_observation", "x is not observed")};
    if (!Body::kStateMatters) return options;
    Append(options, {Option<&Config::healthy_state_range>(
                        "healthy_state_range",
                        "range of healthy angles and speeds, the foot's joints too")});
    return options;
  }
  static void Complete(Config& config) {
    CheckRanges(config, Describe());
    config.model = LoadRobot(config.xml_file, Body::kModel, kOneTree, {.positions = 3});
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(model.nq + model.nv - Skipped(config))),
                  Array<&State::x_position>("info:x_position", AnyNumber()),
                  Array<&State::x_velocity>("info:x_velocity", AnyNumber())}};
    if (kVersion == 4) return spec;
    Append(spec.state,
           {Array<&State::z_distance_from_origin>("info:z_distance_from_origin", AnyNumber()),
            Array<&State::reward_forward>("info:reward_forward", AnyNumber()),
            Array<&State::reward_ctrl>("info:reward_ctrl", AnyNumber()),
            Array<&State::reward_survive>("info:reward_survive", AnyNumber())});
    return spec;
  }

  PlanarRunner(const Config& config, Rng& rng)
      : config_(config), robot_(config.model, config.frame_skip, rng) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    x_before_ = robot_.qpos()[0];
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto& action) {
    const bool healthy = IsHealthy();
    shown_.x_velocity = (robot_.qpos()[0] - x_before_) / robot_.dt();
    shown_.reward_forward = config_.forward_reward_weight * shown_.x_velocity;
    shown_.reward_survive = Survives(healthy) * config_.healthy_reward;
    shown_.reward_ctrl = -ControlCost(config_.ctrl_cost_weight, action.control);
    return {.reward = shown_.reward_forward + shown_.reward_survive + shown_.reward_ctrl,
            .terminated = !healthy && config_.terminate_when_unhealthy};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    const int skipped = Skipped(config_), nq = robot_.model().nq, nv = robot_.model().nv;
    Row(state.obs)
        .Add(robot_.qpos() + skipped, nq - skipped)
        .AddClipped(robot_.qvel(), nv, -kMaxSpeed, kMaxSpeed);
    *state.x_position = robot_.qpos()[0];
    WriteIfPresent(state.z_distance_from_origin, robot_.Moved(1));
    *state.x_velocity = shown_.x_velocity;
    WriteIfPresent(state.reward_forward, shown_.reward_forward);
    WriteIfPresent(state.reward_ctrl, shown_.reward_ctrl);
    WriteIfPresent(state.reward_survive, shown_.reward_survive);
  }

 private:
  static constexpr double kMaxSpeed = 10.0;  // bound of observed speeds

  // Positions that are not part of an observation.
  static int Skipped(const Config& config) {
    return config.exclude_current_positions_from_observation ? 1 : 0;
  }

  // Whether a step has the healthy reward: in v4, also the step that ends an episode.
  bool Survives(bool healthy) const {
    return healthy || (kVersion == 4 && config_.terminate_when_unhealthy);
  }

  bool IsHealthy() const {
    const double *qpos = robot_.qpos(), *qvel = robot_.qvel();
    if (!Within(config_.healthy_z_range, qpos[1])) return false;
    if (!Within(config_.healthy_angle_range, qpos[2])) return false;
    if (!Body::kStateMatters) return true;
    const auto fine = [this](double x) { return Within(config_.healthy_state_range, x); };
    return std::all_of(qpos + 2, qpos + robot_.model().nq, fine) &&
           std::all_of(qvel, qvel + robot_.model().nv, fine);
  }

  const Config config_;
  Robot robot_;
  double x_before_ = 0;  // x before the step
  // Speed and rewards of the last step.
  struct { double x_velocity, reward_forward, reward_ctrl, reward_survive; } shown_ = {};
};

}  // namespace parallel_pool::mujoco::gym
