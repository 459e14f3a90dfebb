#include "parallel_pool/core/env.h"
#include "parallel_pool/mujoco/any_model.h"
#include "parallel_pool/mujoco/tasks.h"

namespace parallel_pool::mujoco {

PARALLEL_POOL_FAMILY(all) {
  const PicturedRegistry registry(all);
  AddArms(registry);
  AddRunners(registry);
  AddWalkers(registry);
  registry.Add<AnyModel>("MuJoCo-v0", {});
}

}  // namespace parallel_pool::mujoco
