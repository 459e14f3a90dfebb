// The tasks of the DeepMind Control Suite under EnvPool's names, grouped by kind. Each group is
// compiled by itself.
#pragma once

#include "parallel_pool/core/env.h"

namespace parallel_pool::mujoco::dm_control {

void AddArms(Registry& registry);  // manipulator and stacker
void AddDogs(Registry& registry);
void AddHumanoids(Registry& registry);
void AddPendulums(Registry& registry);  // linked bodies that swing, and springs
void AddQuadrupeds(Registry& registry);
void AddReachers(Registry& registry);  // something to move to a target
void AddRunners(Registry& registry);   // robots with legs in a plane
void AddSwimmers(Registry& registry);  // fish and swimmers

}  // namespace parallel_pool::mujoco::dm_control
