// Point mass: move a mass in a plane to the middle. In the hard task, each control pulls in a
// random direction.
#pragma once

#include <cmath>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

class PointMass {
 public:
  struct Config { bool randomizes_gains = false; };
  struct State { View<double> position, velocity; };

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 1;
  static constexpr unsigned kReads = kGeoms;
  static const char* ModelFile(const Config&) { return "point_mass.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::position>("position", AnyNumbers(2)),
            Array<&State::velocity>("velocity", AnyNumbers(2))};
  }

  PointMass(const Config& config, Physics& physics)
      : target_(physics.GeomPosition("target")),
        mass_(physics.GeomPosition("pointmass")),
        target_size_(physics.model().geom_size[3 * physics.FindId(mjOBJ_GEOM, "target")]) {
    if (config.randomizes_gains) gains_ = physics.Edit(&mjModel::wrap_prm, physics.model().nwrap);
  }

  void Begin(Physics& physics, RandomState& random) {
    RandomizeJoints(physics, random);
    if (gains_ == nullptr) return;
    DrawDirection(random, gains_);
    do {
      DrawDirection(random, gains_ + 2);
    } while (std::abs(Dot(gains_, gains_ + 2, 2)) > 0.9);
  }
  double Reward(const Physics& physics) const {
    const double to_target[] = {target_[0] - mass_[0], target_[1] - mass_[1],
                                target_[2] - mass_[2]};
    const double near = Tolerance(Norm(to_target, 3), {0, target_size_}, {.margin = target_size_});
    return near * ((SmallControl(physics.data().ctrl, 2) + 4) / 5);
  }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.position).Add(physics.data().qpos, 2);
    Row(state.velocity).Add(physics.data().qvel, 2);
  }

 private:
  // Writes a random direction: two numbers.
  static void DrawDirection(RandomState& random, mjtNum* direction) {
    const double drawn[] = {random.Normal(), random.Normal()};
    const double length = Norm(drawn, 2);
    direction[0] = drawn[0] / length;
    direction[1] = drawn[1] / length;
  }

  const mjtNum *const target_, *const mass_;
  const double target_size_;
  mjtNum* gains_ = nullptr;  // 2 numbers for each control, in the model; nullptr: never changed
};

}  // namespace parallel_pool::mujoco::dm_control
