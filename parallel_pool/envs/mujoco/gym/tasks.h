// The MuJoCo tasks of Gymnasium, grouped by kind of robot. Each group is compiled by itself. The
// version in a name is Gymnasium's; v3 and v2 are those of gym 0.26, for mujoco-py. Most of them
// equal Gymnasium's v4.
#pragma once

#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::gym {

void AddArms(const PicturedRegistry& registry);
void AddRunners(const PicturedRegistry& registry);
void AddWalkers(const PicturedRegistry& registry);

}  // namespace parallel_pool::mujoco::gym
