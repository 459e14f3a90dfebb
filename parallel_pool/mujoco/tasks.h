// The tasks by kind of robot, each kind in a file of its own that takes a minute to compile. The
// version in a name is Gymnasium's; v3 and v2 are gym 0.26's, for mujoco-py, most of them what
// Gymnasium calls v4.
#pragma once

#include "parallel_pool/mujoco/rendering/pictured.h"
#include "parallel_pool/mujoco/views.h"

namespace parallel_pool::mujoco {

void AddArms(const PicturedRegistry& registry);
void AddRunners(const PicturedRegistry& registry);
void AddWalkers(const PicturedRegistry& registry);

}  // namespace parallel_pool::mujoco
