#include "parallel_pool/envs/mujoco/dm_control/manipulator.h"
#include "parallel_pool/envs/mujoco/dm_control/stacker.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"

namespace parallel_pool::mujoco::dm_control {

void AddArms(Registry& registry) {
  Add<Manipulator>(registry, "ManipulatorBringBall-v1");
  Add<Manipulator>(registry, "ManipulatorBringPeg-v1", {.has_peg = true});
  Add<Manipulator>(registry, "ManipulatorInsertBall-v1", {.inserts = true});
  Add<Manipulator>(registry, "ManipulatorInsertPeg-v1", {.has_peg = true, .inserts = true});
  Add<Stacker>(registry, "StackerStack2-v1", {.boxes = 2});
  Add<Stacker>(registry, "StackerStack4-v1", {.boxes = 4});
}

}  // namespace parallel_pool::mujoco::dm_control
