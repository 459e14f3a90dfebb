// The random states in which episodes begin.
#pragma once

#include <numbers>

#include "parallel_pool/core/random_state.h"
#include "parallel_pool/envs/mujoco/dm_control/physics.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

inline constexpr double kPi = std::numbers::pi;

// Draws the positions of all hinges, and of slides that have limits: within their limits, or
// anywhere for hinges without. Also draws the orientation of free joints, not evenly. This is
// dm_control's randomize_limited_and_rotational_joints for models without ball joints.
inline void RandomizeJoints(Physics& physics, RandomState& random) {
  const mjModel& model = physics.model();
  for (int i = 0; i < model.njnt; ++i) {
    double* const position = physics.data().qpos + model.jnt_qposadr[i];
    if (model.jnt_limited[i]) {
      *position = random.Uniform(model.jnt_range[2 * i], model.jnt_range[2 * i + 1]);
    } else if (model.jnt_type[i] == mjJNT_HINGE) {
      *position = random.Uniform(-kPi, kPi);
    } else if (model.jnt_type[i] == mjJNT_FREE) {
      double drawn[4];
      for (double& x : drawn) x = random.Random();
      const double length = Norm(drawn, 4);
      for (int k = 0; k < 4; ++k) position[3 + k] = drawn[k] / length;
    }
  }
}

}  // namespace parallel_pool::mujoco::dm_control
