// Fish: turn upright, or swim to a target.
#pragma once

#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

class Fish {
 public:
  struct Config { bool swims = false; };
  // The target is seen from the mouth.
  struct State { View<double> joint_angles, upright, target, velocity; };

  static constexpr double kTimeLimit = 40;
  static constexpr int kSubSteps = 10;
  static constexpr unsigned kReads = kAxes | kGeoms | kGeomAxes;
  static const char* ModelFile(const Config&) { return "fish.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel&) {
    std::vector<ArrayOf<State>> arrays = {
        Array<&State::joint_angles>("joint_angles", AnyNumbers(kJoints)),
        Array<&State::upright>("upright", AnyNumber())};
    if (config.swims) arrays.push_back(Array<&State::target>("target", AnyNumbers(3)));
    arrays.push_back(Array<&State::velocity>("velocity", AnyNumbers(13)));
    return arrays;
  }

  Fish(const Config& config, Physics& physics)
      : torso_(physics.BodyMatrix("torso")),
        mouth_(physics.GeomPosition("mouth")),
        target_(physics.GeomPosition("target")),
        mouth_axes_(physics.data().geom_xmat + 9 * physics.FindId(mjOBJ_GEOM, "mouth")) {
    const mjModel& model = physics.model();
    const int target = 3 * physics.FindId(mjOBJ_GEOM, "target");
    radii_ = model.geom_size[3 * physics.FindId(mjOBJ_GEOM, "mouth")] + model.geom_size[target];
    if (config.swims) {
      model_target_ = physics.Edit(&mjModel::geom_pos, 3 * model.ngeom) + target;
    } else {
      const int color = 4 * physics.FindId(mjOBJ_GEOM, "target");
      target_opacity_ = physics.Edit(&mjModel::geom_rgba, 4 * model.ngeom) + color + 3;
    }
  }

  void Begin(Physics& physics, RandomState& random) {
    mjtNum* const qpos = physics.data().qpos;
    double drawn[4];
    for (double& x : drawn) x = random.Normal();
    const double length = Norm(drawn, 4);
    for (int i = 0; i < 4; ++i) qpos[3 + i] = drawn[i] / length;
    for (int i = 0; i < kJoints; ++i) qpos[7 + i] = random.Uniform(-.2, .2);
    if (model_target_ == nullptr) {
      *target_opacity_ = 0;
      return;
    }
    model_target_[0] = random.Uniform(-.4, .4);
    model_target_[1] = random.Uniform(-.4, .4);
    model_target_[2] = random.Uniform(.1, .3);
  }
  double Reward(const Physics&) const {
    if (model_target_ == nullptr) return Tolerance(torso_[kZZ], {1, 1}, {.margin = 1});
    double to_target[3];
    LookFromMouth(to_target);
    const double in_target = Tolerance(Norm(to_target, 3), {0, radii_}, {.margin = 2 * radii_});
    return (7 * in_target + 0.5 * (torso_[kZZ] + 1)) / 8;
  }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.joint_angles).Add(physics.data().qpos + 7, kJoints);
    *state.upright = torso_[kZZ];
    if (model_target_ != nullptr) LookFromMouth(state.target.data);
    Row(state.velocity).Add(physics.data().qvel, 13);
  }

 private:
  static constexpr int kJoints = 7;

  // Writes the vector from the mouth to the target in the mouth's axes: 3 numbers.
  void LookFromMouth(double* to_target) const {
    const double global[] = {target_[0] - mouth_[0], target_[1] - mouth_[1],
                             target_[2] - mouth_[2]};
    DotMatrix(global, mouth_axes_, to_target);
  }

  const mjtNum *const torso_, *const mouth_, *const target_, *const mouth_axes_;
  double radii_;                     // of the mouth and the target together, in m
  mjtNum* model_target_ = nullptr;   // the target's position in the model; nullptr: no target
  float* target_opacity_ = nullptr;  // in pictures, if there is no target
};

}  // namespace parallel_pool::mujoco::dm_control
