// Reacher: touch a ball with the tip of a planar arm.
#pragma once

#include <cmath>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

class Reacher {
 public:
  struct Config { double target_size = .05; };  // m
  struct State { View<double> position, to_target, velocity; };

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 1;
  static constexpr unsigned kReads = kGeoms;
  static const char* ModelFile(const Config&) { return "reacher.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::position>("position", AnyNumbers(2)),
            Array<&State::to_target>("to_target", AnyNumbers(2)),
            Array<&State::velocity>("velocity", AnyNumbers(2))};
  }

  Reacher(const Config& config, Physics& physics)
      : target_size_(config.target_size),
        target_(physics.GeomPosition("target")),
        finger_(physics.GeomPosition("finger")),
        finger_size_(physics.model().geom_size[3 * physics.FindId(mjOBJ_GEOM, "finger")]) {
    const int id = physics.FindId(mjOBJ_GEOM, "target");
    const int size = 3 * static_cast<int>(physics.model().ngeom);
    model_size_ = physics.Edit(&mjModel::geom_size, size) + 3 * id;
    model_position_ = physics.Edit(&mjModel::geom_pos, size) + 3 * id;
  }

  void Begin(Physics& physics, RandomState& random) {
    model_size_[0] = target_size_;
    RandomizeJoints(physics, random);
    const double angle = random.Uniform(0, 2 * kPi), radius = random.Uniform(.05, .20);
    model_position_[0] = radius * std::sin(angle);
    model_position_[1] = radius * std::cos(angle);
  }
  double Reward(const Physics&) const {
    const double to_target[] = {target_[0] - finger_[0], target_[1] - finger_[1]};
    return Tolerance(Norm(to_target, 2), {0, target_size_ + finger_size_});
  }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.position).Add(physics.data().qpos, 2);
    state.to_target.Assign(target_[0] - finger_[0], target_[1] - finger_[1]);
    Row(state.velocity).Add(physics.data().qvel, 2);
  }

 private:
  const double target_size_;
  const mjtNum *const target_, *const finger_;
  const double finger_size_;
  mjtNum *model_size_, *model_position_;  // the target's, in the model
};

}  // namespace parallel_pool::mujoco::dm_control
