// Move the tip of an arm with two joints to a target: Gymnasium 1.4's Reacher-v5 and -v4.
#pragma once

#include <cmath>
#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class Reacher {
 public:
  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 2;
    double reward_dist_weight = 1.0, reward_control_weight = 1.0;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    // Cosines and sines of the angles, the target's x and y, speeds of the angles, and the vector
    // from the target to the tip (x and y; in v4 also z).
    View<double> obs;
    View<double> reward_dist, reward_ctrl;
  };

  static Options<Config> Describe() {
    return {Option<&Config::xml_file>("xml_file", kXmlFileDoc),
            Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
            Option<&Config::reward_dist_weight>("reward_dist_weight",
                                                "weight of the distance in the cost"),
            Option<&Config::reward_control_weight>("reward_control_weight", kControlCostDoc)};
  }
  static void Complete(Config& config) {
    config.model = LoadRobot(
        config.xml_file, kModel, 0,
        {.positions = 4, .speeds = 4, .exactly = true, .bodies = {"fingertip", "target"}});
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::control>("action", ControlSpace(*config.model))},
            .state = {Array<&State::obs>("obs", AnyNumbers(8 + kOffset)),
                      Array<&State::reward_dist>("info:reward_dist", AnyNumber()),
                      Array<&State::reward_ctrl>("info:reward_ctrl", AnyNumber())}};
  }

  static unsigned ReadsOf(const Config&) { return kPlaces; }

  Reacher(const Config& config, Rng& rng)
      : config_(config),
        robot_(config.model, config.frame_skip, rng, ReadsOf(config)),
        rng_(rng),
        tip_(robot_.BodyOf("fingertip")),
        target_(robot_.BodyOf("target")) {}

  void Reset() {
    double* const qpos = robot_.DrawPositions(0.1);
    do {
      for (int i : {2, 3}) qpos[i] = rng_.Uniform(-kMaxDistance, kMaxDistance);
    } while (!(Norm(qpos + 2, 2) < kMaxDistance));
    double* const qvel = robot_.DrawSpeeds(0.005);
    qvel[2] = qvel[3] = 0;
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    robot_.Offset(target_, tip_, offset_);
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto& action) {
    if (kVersion != 4) robot_.Offset(target_, tip_, offset_);  // v4 rewards that before the step
    shown_.distance = -Norm(offset_, 3) * config_.reward_dist_weight;
    shown_.control = -ControlCost(config_.reward_control_weight, action.control);
    return {.reward = shown_.distance + shown_.control};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    const double* const qpos = robot_.qpos();
    double offset[3];
    robot_.Offset(target_, tip_, offset);
    Row(state.obs)
        .AddEach(qpos, 2, [](double angle) { return std::cos(angle); })
        .AddEach(qpos, 2, [](double angle) { return std::sin(angle); })
        .Add(qpos + 2, 2)
        .Add(robot_.qvel(), 2)
        .Add(offset, kOffset);
    *state.reward_dist = shown_.distance;
    *state.reward_ctrl = shown_.control;
  }

 private:
  static constexpr char kModel[] = "reacher.xml";
  static constexpr int kOffset = kVersion == 4 ? 3 : 2;  // observed coordinates of the offset
  static constexpr double kMaxDistance = 0.2;            // of the target from the shoulder, in m

  const Config config_;
  Robot robot_;
  Rng& rng_;
  const int tip_, target_;                           // numbers of bodies
  double offset_[3] = {};                            // of the tip from the target
  struct { double distance, control; } shown_ = {};  // rewards of the last step
};

}  // namespace parallel_pool::mujoco::gym
