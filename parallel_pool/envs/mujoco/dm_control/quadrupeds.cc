#include "parallel_pool/envs/mujoco/dm_control/quadruped.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"

namespace parallel_pool::mujoco::dm_control {

void AddQuadrupeds(Registry& registry) {
  Add<QuadrupedEscape>(registry, "QuadrupedEscape-v1");
  Add<QuadrupedFetch>(registry, "QuadrupedFetch-v1");
  Add<QuadrupedMove>(registry, "QuadrupedRun-v1", {.speed = 5});
  Add<QuadrupedMove>(registry, "QuadrupedWalk-v1", {.speed = 0.5});
}

}  // namespace parallel_pool::mujoco::dm_control
