// Manipulator: an arm brings a ball or a peg to a place, or puts it into a cup or a slot.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/dm_control/arm.h"
#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class Manipulator {
 public:
  struct Config {
    bool has_peg = false, inserts = false;
    bool fully_observable = true;

    static Options<Config> Describe() {
      return {Option<&Config::fully_observable>("fully_observable", kFullyObservableDoc)};
    }
  };
  struct State {
    View<double> arm_pos, arm_vel, touch, hand_pos, object_pos, object_vel, target_pos;
  };

  static constexpr double kTimeLimit = 10;
  static constexpr int kSubSteps = 10;
  static constexpr unsigned kReads = kPlaces | kQuaternions | kSites | kForceSensors;
  static const char* ModelFile(const Config& config) {
    if (config.has_peg) return config.inserts ? "insert_peg.xml" : "bring_peg.xml";
    return config.inserts ? "insert_ball.xml" : "bring_ball.xml";
  }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel&) {
    std::vector<ArrayOf<State>> arrays = {
        Array<&State::arm_pos>("arm_pos", Box({Arm::kJoints, 2}, {-kInf}, {kInf})),
        Array<&State::arm_vel>("arm_vel", AnyNumbers(Arm::kJoints)),
        Array<&State::touch>("touch", AnyNumbers(Arm::kTouchSensors))};
    if (config.fully_observable) {
      Append<ArrayOf<State>>(arrays, {Array<&State::hand_pos>("hand_pos", AnyNumbers(4)),
                                      Array<&State::object_pos>("object_pos", AnyNumbers(4)),
                                      Array<&State::object_vel>("object_vel", AnyNumbers(3)),
                                      Array<&State::target_pos>("target_pos", AnyNumbers(4))});
    }
    return arrays;
  }

  Manipulator(const Config& config, Physics& physics)
      : config_(config),
        arm_(physics),
        hand_(physics.FindId(mjOBJ_BODY, "hand")),
        object_(physics.FindId(mjOBJ_BODY, config.has_peg ? "peg" : "ball")),
        target_(physics.FindId(mjOBJ_BODY, config.has_peg ? "target_peg" : "target_ball")),
        grasp_(physics.FindId(mjOBJ_SITE, "grasp")) {
    const auto pair = [&](const char* site, const char* other) {
      pairs_.push_back({physics.SitePosition(site), physics.SitePosition(other)});
    };
    if (config.has_peg) {
      pair("peg_grasp", "grasp");
      pair("peg_pinch", "pinch");
      pair("peg", "target_peg");
      pair("target_peg_tip", "peg_tip");
    } else {
      pair("ball", "target_ball");
    }
    static constexpr const char* kJoints[2][3] = {{"ball_x", "ball_z", "ball_y"},
                                                  {"peg_x", "peg_z", "peg_y"}};
    for (int i = 0; i < 3; ++i) {
      position_[i] = physics.JointPosition(kJoints[config.has_peg][i]);
      velocity_[i] = physics.JointVelocity(kJoints[config.has_peg][i]);
    }
    if (config.inserts) {
      receptacle_ = physics.FindId(mjOBJ_BODY, config.has_peg ? "slot" : "cup");
    }
    model_position_ = physics.Edit(&mjModel::body_pos, 3 * physics.model().nbody);
    model_quaternion_ = physics.Edit(&mjModel::body_quat, 4 * physics.model().nbody);
  }

  // Draws until nothing touches. A rejected try leaves its speed of the object behind.
  void Begin(Physics& physics, RandomState& random) {
    do {
      arm_.Draw(random);
      const double x = random.Uniform(-.4, .4), z = random.Uniform(.1, .4);
      const double most = config_.inserts ? kPi / 3 : kPi;
      const double angle = random.Uniform(-most, most);
      if (config_.inserts) Place(receptacle_, x, z, angle);
      Place(target_, x, z, angle);
      PlaceObject(physics, random, {x, z, angle});
      physics.Forward();
    } while (physics.data().ncon > 0);
  }

  double Reward(const Physics&) const {
    if (!config_.has_peg) return AreClose(pairs_[0]);
    const double grasping = (AreClose(pairs_[0]) + AreClose(pairs_[1])) / 2;
    const double bringing = (AreClose(pairs_[2]) + AreClose(pairs_[3])) / 2;
    return std::max(bringing, grasping / 3);
  }

  void Observe(const Physics& physics, const State& state) const {
    arm_.Observe(state.arm_pos, state.arm_vel, state.touch);
    if (!config_.fully_observable) return;
    ObservePose(physics, hand_, state.hand_pos.data);
    ObservePose(physics, object_, state.object_pos.data);
    state.object_vel.Assign(*velocity_[0], *velocity_[1], *velocity_[2]);
    ObservePose(physics, target_, state.target_pos.data);
  }

 private:
  static constexpr double kClose = .01;  // m
  struct Sites { const mjtNum *one, *other; };

  void Place(int body, double x, double z, double angle) {
    model_position_[3 * body] = x;
    model_position_[3 * body + 2] = z;
    model_quaternion_[4 * body] = std::cos(angle / 2);
    model_quaternion_[4 * body + 2] = std::sin(angle / 2);
  }

  // Puts the object into the hand, into the target (x, z, angle), or anywhere.
  void PlaceObject(Physics& physics, RandomState& random, std::array<double, 3> place) {
    const int where = random.Choice<3>({.1, .1, 1 - .1 - .1});
    if (where == 0) {
      physics.Forward();
      const mjtNum* const axes = physics.data().site_xmat + 9 * grasp_;
      place = {physics.data().site_xpos[3 * grasp_], physics.data().site_xpos[3 * grasp_ + 2],
               kPi - NumpyArithmetic().arctan2(axes[kZX], axes[kXX])};
    } else if (where == 2) {
      place[0] = random.Uniform(-.5, .5);
      place[1] = random.Uniform(0, .7);
      place[2] = random.Uniform(0, 2 * kPi);
      *velocity_[0] = random.Uniform(-5, 5);
    }
    for (int i = 0; i < 3; ++i) *position_[i] = place[i];
  }

  static double AreClose(const Sites& pair) {
    return Tolerance(Distance(pair.one, pair.other), {0, kClose}, {.margin = kClose * 2});
  }

  const Config config_;
  const Arm arm_;
  const int hand_, object_, target_, grasp_;    // bodies, and a site
  int receptacle_ = -1;                         // a body
  std::vector<Sites> pairs_;                    // that the reward wants to be close
  std::array<mjtNum*, 3> position_, velocity_;  // the object's x, z and angle
  mjtNum *model_position_, *model_quaternion_;  // of all bodies, in the model
};

}  // namespace parallel_pool::mujoco::dm_control
