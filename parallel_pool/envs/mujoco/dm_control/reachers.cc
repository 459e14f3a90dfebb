#include "parallel_pool/envs/mujoco/dm_control/ball_in_cup.h"
#include "parallel_pool/envs/mujoco/dm_control/finger.h"
#include "parallel_pool/envs/mujoco/dm_control/point_mass.h"
#include "parallel_pool/envs/mujoco/dm_control/reacher.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"

namespace parallel_pool::mujoco::dm_control {

void AddReachers(Registry& registry) {
  Add<BallInCup>(registry, "BallInCupCatch-v1");
  Add<Finger>(registry, "FingerSpin-v1");
  Add<Finger>(registry, "FingerTurnEasy-v1", {.target_size = .07});
  Add<Finger>(registry, "FingerTurnHard-v1", {.target_size = .03});
  Add<PointMass>(registry, "PointMassEasy-v1");
  Add<PointMass>(registry, "PointMassHard-v1", {.randomizes_gains = true});
  Add<Reacher>(registry, "ReacherEasy-v1", {.target_size = .05});
  Add<Reacher>(registry, "ReacherHard-v1", {.target_size = .015});
}

}  // namespace parallel_pool::mujoco::dm_control
