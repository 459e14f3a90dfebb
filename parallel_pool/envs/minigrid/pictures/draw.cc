#include "parallel_pool/envs/minigrid/pictures/draw.h"

#include <cstddef>
#include <cstring>

namespace parallel_pool::minigrid {

void Draw(const Tiles& tiles, const Scene& scene, View<uint8_t> rgb) {
  const size_t tile_row = 3 * static_cast<size_t>(tiles.pixels());
  const size_t row = tile_row * scene.width;
  for (int y = 0; y < scene.height; ++y) {
    for (int x = 0; x < scene.width; ++x) {
      const int cell = y * scene.width + x;
      const bool has_agent = x == scene.agent_x && y == scene.agent_y;
      const uint8_t* from = tiles.Picture(scene.looks[cell],
                                          has_agent ? scene.agent_direction : -1, scene.lit[cell]);
      uint8_t* to = rgb.data + y * tiles.pixels() * row + x * tile_row;
      for (int i = 0; i < tiles.pixels(); ++i, from += tile_row, to += row) {
        std::memcpy(to, from, tile_row);
      }
    }
  }
}

}  // namespace parallel_pool::minigrid
