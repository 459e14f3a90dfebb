// Stacker: an arm stacks boxes at a target.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/arm.h"
#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class Stacker {
 public:
  struct Config {
    int boxes = 2;  // 2 or 4
    bool fully_observable = true;

    static Options<Config> Describe() {
      return {Option<&Config::fully_observable>("fully_observable", kFullyObservableDoc)};
    }
  };
  struct State { View<double> arm_pos, arm_vel, touch, hand_pos, box_pos, box_vel, target_pos; };

  static constexpr double kTimeLimit = 10;
  static constexpr int kSubSteps = 10;
  static constexpr unsigned kReads = kPlaces | kQuaternions | kSites | kForceSensors;
  static const char* ModelFile(const Config& config) {
    return config.boxes == 2 ? "stack_2.xml" : "stack_4.xml";
  }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel&) {
    std::vector<ArrayOf<State>> arrays = {
        Array<&State::arm_pos>("arm_pos", Box({Arm::kJoints, 2}, {-kInf}, {kInf})),
        Array<&State::arm_vel>("arm_vel", AnyNumbers(Arm::kJoints)),
        Array<&State::touch>("touch", AnyNumbers(Arm::kTouchSensors))};
    if (config.fully_observable) {
      Append<ArrayOf<State>>(
          arrays, {Array<&State::hand_pos>("hand_pos", AnyNumbers(4)),
                   Array<&State::box_pos>("box_pos", Box({config.boxes, 4}, {-kInf}, {kInf})),
                   Array<&State::box_vel>("box_vel", AnyNumbers(3 * config.boxes)),
                   Array<&State::target_pos>("target_pos", AnyNumbers(2))});
    }
    return arrays;
  }

  Stacker(const Config& config, Physics& physics)
      : config_(config),
        arm_(physics),
        hand_(physics.FindId(mjOBJ_BODY, "hand")),
        target_(physics.FindId(mjOBJ_BODY, "target")),
        grasp_site_(physics.SitePosition("grasp")),
        target_site_(physics.SitePosition("target")),
        box_size_(physics.model().geom_size[3 * physics.FindId(mjOBJ_GEOM, "target")]) {
    for (int i = 0; i < config.boxes; ++i) {
      const std::string name = "box" + std::to_string(i);
      boxes_[i] = {.body = physics.FindId(mjOBJ_BODY, name.c_str()),
                   .site = physics.SitePosition(name.c_str()),
                   .joints = {},
                   .velocities = {}};
      for (int k = 0; k < 3; ++k) {
        const std::string joint = name + "_" + "xyz"[k];
        boxes_[i].joints[k] = physics.JointPosition(joint.c_str());
        boxes_[i].velocities[k] = physics.JointVelocity(joint.c_str());
      }
    }
    model_target_ = physics.Edit(&mjModel::body_pos, 3 * physics.model().nbody) + 3 * target_;
  }

  // Draws until nothing touches.
  void Begin(Physics& physics, RandomState& random) {
    do {
      arm_.Draw(random);
      model_target_[2] = box_size_ * (2 * random.Integer(config_.boxes) + 1);
      model_target_[0] = random.Uniform(-.37, .37);
      for (int i = 0; i < config_.boxes; ++i) {
        *boxes_[i].joints[0] = random.Uniform(.1, .3);
        *boxes_[i].joints[2] = random.Uniform(0, .7);
        *boxes_[i].joints[1] = random.Uniform(0, 2 * kPi);
      }
      physics.Forward();
    } while (physics.data().ncon > 0);
  }

  double Reward(const Physics&) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < config_.boxes; ++i) {
      nearest = std::min(nearest, Distance(boxes_[i].site, target_site_));
    }
    const double is_close = Tolerance(nearest, {}, {.margin = 2 * box_size_});
    return is_close *
           Tolerance(Distance(grasp_site_, target_site_), AtLeast(.1), {.margin = kClose});
  }

  void Observe(const Physics& physics, const State& state) const {
    arm_.Observe(state.arm_pos, state.arm_vel, state.touch);
    if (!config_.fully_observable) return;
    ObservePose(physics, hand_, state.hand_pos.data);
    for (int i = 0; i < config_.boxes; ++i) {
      ObservePose(physics, boxes_[i].body, state.box_pos.data + 4 * i);
      for (int k = 0; k < 3; ++k) state.box_vel[3 * i + k] = *boxes_[i].velocities[k];
    }
    const mjtNum* const target = physics.data().xpos + 3 * target_;
    state.target_pos.Assign(target[0], target[2]);
  }

 private:
  static constexpr double kClose = .01;  // m
  struct BoxOf {
    int body = -1;
    const mjtNum* site = nullptr;
    std::array<mjtNum*, 3> joints = {}, velocities = {};  // x, angle, z
  };

  const Config config_;
  const Arm arm_;
  const int hand_, target_;  // bodies
  const mjtNum *const grasp_site_, *const target_site_;
  const double box_size_;  // m
  std::array<BoxOf, 4> boxes_;
  mjtNum* model_target_;  // the target's position in the model
};

}  // namespace parallel_pool::mujoco::dm_control
