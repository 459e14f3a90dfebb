// Pictures of all scenarios: a view of the plane that holds every agent and landmark.
#pragma once

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mpe/world.h"

namespace parallel_pool::mpe {

inline constexpr ImageSize kPictureSize = {.height = 700, .width = 700};

// The largest coordinate of an entity.
double RangeOf(const World& world);

// Draws the world into `rgb`. The view grows with the world. If `first_range` is not 0, discs get
// smaller by as much as the view has grown from that range.
void Draw(const World& world, double first_range, View<uint8_t> rgb);

}  // namespace parallel_pool::mpe
