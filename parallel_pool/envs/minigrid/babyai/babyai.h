// BabyAI's levels.
#pragma once

#include "parallel_pool/core/env.h"

namespace parallel_pool::minigrid::babyai {

// Each group is compiled by itself.
void AddGoTo(Registry& registry);
void AddOpen(Registry& registry);
void AddPickUp(Registry& registry);
void AddGenerated(Registry& registry);

}  // namespace parallel_pool::minigrid::babyai
