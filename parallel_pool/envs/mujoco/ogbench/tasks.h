// The tasks of OGBench.
#pragma once

#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::ogbench {

void AddMazes(const PicturedRegistry& registry);

}  // namespace parallel_pool::mujoco::ogbench
