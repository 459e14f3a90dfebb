#include "parallel_pool/envs/mujoco/dm_control/cheetah.h"
#include "parallel_pool/envs/mujoco/dm_control/hopper.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"
#include "parallel_pool/envs/mujoco/dm_control/walker.h"

namespace parallel_pool::mujoco::dm_control {

void AddRunners(Registry& registry) {
  Add<Cheetah>(registry, "CheetahRun-v1");
  Add<Hopper>(registry, "HopperHop-v1", {.hops = true});
  Add<Hopper>(registry, "HopperStand-v1");
  Add<Walker>(registry, "WalkerRun-v1", {.speed = 8});
  Add<Walker>(registry, "WalkerStand-v1");
  Add<Walker>(registry, "WalkerWalk-v1", {.speed = 1});
}

}  // namespace parallel_pool::mujoco::dm_control
