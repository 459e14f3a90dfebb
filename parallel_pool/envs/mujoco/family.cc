#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/any_model/any_model.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"
#include "parallel_pool/envs/mujoco/gym/tasks.h"
#include "parallel_pool/envs/mujoco/metaworld/tasks.h"
#include "parallel_pool/envs/mujoco/multi_agent/tasks.h"
#include "parallel_pool/envs/mujoco/ogbench/tasks.h"
#include "parallel_pool/envs/mujoco/robotics/tasks.h"

namespace parallel_pool::mujoco {

PARALLEL_POOL_FAMILY(all) {
  const PicturedRegistry registry(all);
  registry.Add<AnyModel>("MuJoCo-v0", {});
  all.BeginSuite("gymnasium");
  gym::AddArms(registry);
  gym::AddRunners(registry);
  gym::AddWalkers(registry);
  all.BeginSuite("metaworld");
  metaworld::AddTasks(registry);
  all.BeginSuite("robotics");
  multi_agent::AddTasks(registry);
  robotics::AddAdroit(registry);
  robotics::AddFetch(registry);
  robotics::AddHands(registry);
  robotics::AddKitchen(registry);
  robotics::AddMazes(registry);
  all.BeginSuite("ogbench");
  ogbench::AddMazes(registry);
  ogbench::AddArms(registry);
  all.BeginSuite("dm_control");
  dm_control::AddArms(all);
  dm_control::AddDogs(all);
  dm_control::AddHumanoids(all);
  dm_control::AddPendulums(all);
  dm_control::AddQuadrupeds(all);
  dm_control::AddReachers(all);
  dm_control::AddRunners(all);
  dm_control::AddSwimmers(all);
}

}  // namespace parallel_pool::mujoco
