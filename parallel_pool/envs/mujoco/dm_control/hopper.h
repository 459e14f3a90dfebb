// Hopper: stand on one leg with little effort, or hop forward at 2 m/s or more.
#pragma once

#include <vector>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class Hopper {
 public:
  struct Config { bool hops = false; };
  struct State { View<double> position, velocity, touch; };  // qpos without x; qvel; log(1 + N)

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 4;
  static constexpr unsigned kReads = kPlaces | kSensors | kForceSensors;
  static const char* ModelFile(const Config&) { return "hopper.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::position>("position", AnyNumbers(6)),
            Array<&State::velocity>("velocity", AnyNumbers(7)),
            Array<&State::touch>("touch", AnyNumbers(2))};
  }

  Hopper(const Config& config, Physics& physics)
      : hops_(config.hops),
        torso_(physics.BodyMassCenter("torso")),
        foot_(physics.BodyMassCenter("foot")),
        velocity_(physics.Sensor("torso_subtreelinvel")),
        toe_(physics.Sensor("touch_toe")),
        heel_(physics.Sensor("touch_heel")) {}

  void Begin(Physics& physics, RandomState& random) { RandomizeJoints(physics, random); }
  double Reward(const Physics& physics) const {
    const double standing = Tolerance(torso_[2] - foot_[2], {kHeight, 2});
    if (!hops_) return standing * ((SmallControl(physics.data().ctrl, 4) + 4) / 5);
    return standing * Tolerance(velocity_[0], AtLeast(kSpeed),
                                {.margin = kSpeed / 2, .sigmoid = Sigmoid::kLinear, .value = 0.5});
  }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.position).Add(physics.data().qpos + 1, 6);
    Row(state.velocity).Add(physics.data().qvel, 7);
    state.touch.Assign(NumpyArithmetic().log1p(*toe_), NumpyArithmetic().log1p(*heel_));
  }

 private:
  static constexpr double kHeight = 0.6;  // of the torso above the foot, in m
  static constexpr double kSpeed = 2;     // m/s

  const bool hops_;
  const mjtNum *const torso_, *const foot_, *const velocity_, *const toe_, *const heel_;
};

}  // namespace parallel_pool::mujoco::dm_control
