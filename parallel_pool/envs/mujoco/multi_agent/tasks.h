// The tasks of Gymnasium-Robotics whose agents share a robot.
#pragma once

#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::multi_agent {

void AddTasks(const PicturedRegistry& registry);

}  // namespace parallel_pool::mujoco::multi_agent
