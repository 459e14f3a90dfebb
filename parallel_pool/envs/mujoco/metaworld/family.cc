#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/metaworld/env.h"
#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::metaworld {

PARALLEL_POOL_FAMILY(all) {
  const PicturedRegistry registry(all);
  for (const auto& tasks :
       {Buttons(), Doors(), Handles(), Holes(), Levers(), Lifts(), Locks(), Mugs(), Pegs(),
        Plates(), Pucks(), Sticks(), Sweeps(), Tools(), Walls()}) {
    for (const TaskKind& task : tasks) {
      registry.Add<MetaWorld>(task.info.name, {.max_episode_steps = 500}, {.task = &task});
    }
  }
}

}  // namespace parallel_pool::mujoco::metaworld
