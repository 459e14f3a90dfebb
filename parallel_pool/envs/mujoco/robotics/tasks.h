// The tasks of Gymnasium-Robotics, grouped by kind of robot. Each group is compiled by itself.
#pragma once

#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::robotics {

void AddAdroit(const PicturedRegistry& registry);
void AddFetch(const PicturedRegistry& registry);
void AddHands(const PicturedRegistry& registry);
void AddKitchen(const PicturedRegistry& registry);
void AddMazes(const PicturedRegistry& registry);

}  // namespace parallel_pool::mujoco::robotics
