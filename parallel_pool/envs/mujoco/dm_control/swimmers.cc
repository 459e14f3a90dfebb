#include "parallel_pool/envs/mujoco/dm_control/fish.h"
#include "parallel_pool/envs/mujoco/dm_control/swimmer.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"

namespace parallel_pool::mujoco::dm_control {

void AddSwimmers(Registry& registry) {
  Add<Fish>(registry, "FishSwim-v1", {.swims = true});
  Add<Fish>(registry, "FishUpright-v1");
  Add<Swimmer>(registry, "SwimmerSwimmer6-v1", {.links = 6});
  Add<Swimmer>(registry, "SwimmerSwimmer15-v1", {.links = 15});
}

}  // namespace parallel_pool::mujoco::dm_control
