// Push a cylinder to a goal with an arm that has seven joints: Gymnasium 1.4's Pusher-v5
// and -v4, gym's -v2.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class Pusher {
 public:
  static constexpr PictureStyle kStyle = {.distance = 4};

  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 5;
    double reward_near_weight = 0.5, reward_dist_weight = 1.0, reward_control_weight = 0.1;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    // Angles and speeds of the seven joints; positions of the tip, the cylinder and the goal.
    View<double> obs;
    View<double> reward_dist, reward_ctrl, reward_near;  // v4: without their weights
  };

  static Options<Config> Describe() {
    return {Option<&Config::xml_file>("xml_file", kXmlFileDoc),
            Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
            Option<&Config::reward_near_weight>(
                "reward_near_weight", "weight of the distance from tip to cylinder in the cost"),
            Option<&Config::reward_dist_weight>(
                "reward_dist_weight", "weight of the distance from cylinder to goal in the cost"),
            Option<&Config::reward_control_weight>("reward_control_weight", kControlCostDoc)};
  }
  static void Complete(Config& config) {
    config.model = LoadRobot(config.xml_file, kModel, 0,
                             {.positions = kJoints + 4,
                              .speeds = kJoints + 4,
                              .bodies = {"tips_arm", "object", "goal"}});
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::control>("action", ControlSpace(*config.model))},
            .state = {Array<&State::obs>("obs", AnyNumbers(2 * kJoints + 9)),
                      Array<&State::reward_dist>("info:reward_dist", AnyNumber()),
                      Array<&State::reward_ctrl>("info:reward_ctrl", AnyNumber()),
                      Array<&State::reward_near>("info:reward_near", AnyNumber())}};
  }

  static unsigned ReadsOf(const Config&) { return kPlaces; }

  Pusher(const Config& config, Rng& rng)
      : config_(config),
        robot_(config.model, config.frame_skip, rng, ReadsOf(config)),
        rng_(rng),
        tip_(robot_.BodyOf("tips_arm")),
        cylinder_(robot_.BodyOf("object")),
        goal_(robot_.BodyOf("goal")) {}

  void Reset() {
    // The last four coordinates are the cylinder's and the goal's.
    double* const place = robot_.FirstPositions() + robot_.model().nq - 4;
    do {
      place[0] = rng_.Uniform(-0.3, 0);
      place[1] = rng_.Uniform(-0.2, 0.2);
    } while (!(Norm(place, 2) > kMinDistance));
    place[2] = place[3] = 0;
    std::fill_n(robot_.DrawSpeeds(0.005) + robot_.model().nv - 4, 4, 0.0);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    Measure();
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto& action) {
    if (kVersion == 5) Measure();  // v4 rewards the offsets before the step
    const double reward_near = -Norm(near_, 3), reward_dist = -Norm(distance_, 3);
    const double weighted_near = reward_near * config_.reward_near_weight;
    const double weighted_dist = reward_dist * config_.reward_dist_weight;
    const double weighted_ctrl = -ControlCost(config_.reward_control_weight, action.control);
    shown_ = {weighted_near, weighted_dist, weighted_ctrl};
    if (kVersion == 4) shown_ = {reward_near, reward_dist, -ControlCost(1, action.control)};
    return {.reward = weighted_dist + weighted_ctrl + weighted_near};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    Row row(state.obs);
    row.Add(robot_.qpos(), kJoints).Add(robot_.qvel(), kJoints);
    for (int body : {tip_, cylinder_, goal_}) row.Add(robot_.data().xpos + 3 * body, 3);
    *state.reward_dist = shown_.distance;
    *state.reward_ctrl = shown_.control;
    *state.reward_near = shown_.near;
  }

 private:
  static constexpr const char* kModel = kVersion == 5 ? "pusher_v5.xml" : "pusher.xml";
  static constexpr int kJoints = 7;
  static constexpr double kMinDistance = 0.17;  // of the cylinder's first place from the goal, in m

  void Measure() {
    robot_.Offset(tip_, cylinder_, near_);
    robot_.Offset(goal_, cylinder_, distance_);
  }

  const Config config_;
  Robot robot_;
  Rng& rng_;
  const int tip_, cylinder_, goal_;                        // numbers of bodies
  double near_[3] = {}, distance_[3] = {};                 // offsets of the cylinder
  struct { double near, distance, control; } shown_ = {};  // rewards of the last step
};

}  // namespace parallel_pool::mujoco::gym
