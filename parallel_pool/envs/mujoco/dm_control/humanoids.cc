#include "parallel_pool/envs/mujoco/dm_control/humanoid.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"

namespace parallel_pool::mujoco::dm_control {

void AddHumanoids(Registry& registry) {
  Add<Humanoid>(registry, "HumanoidRun-v1", {.speed = 10});
  Add<Humanoid>(registry, "HumanoidRunPureState-v1", {.speed = 10, .is_pure_state = true});
  Add<Humanoid>(registry, "HumanoidStand-v1");
  Add<Humanoid>(registry, "HumanoidWalk-v1", {.speed = 1});
  Add<HumanoidCmu>(registry, "HumanoidCMURun-v1", {.speed = 10});
  Add<HumanoidCmu>(registry, "HumanoidCMUStand-v1");
  Add<HumanoidCmu>(registry, "HumanoidCMUWalk-v1", {.speed = 1});
}

}  // namespace parallel_pool::mujoco::dm_control
