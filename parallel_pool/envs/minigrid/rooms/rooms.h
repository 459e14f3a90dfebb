// The MiniGrid levels that are grids of rooms.
#pragma once

#include "parallel_pool/core/env.h"

namespace parallel_pool::minigrid {

void AddRooms(Registry& registry);

}  // namespace parallel_pool::minigrid
