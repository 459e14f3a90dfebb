// The MiniGrid levels without rooms of one size.
#pragma once

#include "parallel_pool/core/env.h"

namespace parallel_pool::minigrid {

void AddWalks(Registry& registry);    // to a goal
void AddObjects(Registry& registry);  // with objects and doors

}  // namespace parallel_pool::minigrid
