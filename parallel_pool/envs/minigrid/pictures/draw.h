// Pictures of grids.
#pragma once

#include <cstdint>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/minigrid/pictures/tiles.h"

namespace parallel_pool::minigrid {

// A grid with an agent. The arrays are row by row: cell (x, y) is [y * width + x].
struct Scene {
  int width, height;
  const Look* looks;
  const bool* lit;  // cells that are shown brighter
  int agent_x, agent_y, agent_direction;
};

// Draws the scene with a tile for each cell. rgb: (height * pixels, width * pixels, 3).
void Draw(const Tiles& tiles, const Scene& scene, View<uint8_t> rgb);

}  // namespace parallel_pool::minigrid
