#include "parallel_pool/envs/mujoco/dm_control/dog.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"

namespace parallel_pool::mujoco::dm_control {

void AddDogs(Registry& registry) {
  Add<Dog>(registry, "DogFetch-v1", {.fetches = true});
  Add<Dog>(registry, "DogRun-v1", {.speed = 9});
  Add<Dog>(registry, "DogStand-v1");
  Add<Dog>(registry, "DogTrot-v1", {.speed = 3});
  Add<Dog>(registry, "DogWalk-v1", {.speed = 1});
}

}  // namespace parallel_pool::mujoco::dm_control
