// The tasks of MetaWorld.
#pragma once

#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::metaworld {

// Each has two ids: MetaWorld's, such as reach-v3, and EnvPool's, MetaWorld/Reach-v3.
void AddTasks(const PicturedRegistry& registry);

}  // namespace parallel_pool::mujoco::metaworld
