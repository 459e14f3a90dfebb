#include "parallel_pool/envs/minigrid/pictures/draw.h"

#include <cstddef>
#include <cstring>

namespace parallel_pool::minigrid {
namespace {

// The size of most observations. Copies of a length that the compiler knows are five times as fast.
constexpr int kUsualPixels = 8;

// fixed_pixels: the size of the tiles; 0: any size.
template <int fixed_pixels>
void DrawSized(const Tiles& tiles, const Scene& scene, View<uint8_t> rgb) {
  const int pixels = fixed_pixels > 0 ? fixed_pixels : tiles.pixels();
  const size_t tile_row = 3 * static_cast<size_t>(pixels);
  const size_t row = tile_row * scene.width;
  for (int y = 0; y < scene.height; ++y) {
    for (int x = 0; x < scene.width; ++x) {
      const int cell = y * scene.width + x;
      const bool has_agent = x == scene.agent_x && y == scene.agent_y;
      const uint8_t* from =
          tiles.Picture(scene.looks[cell], has_agent ? scene.agent_direction : -1, scene.lit[cell]);
      uint8_t* to = rgb.data + y * pixels * row + x * tile_row;
      for (int i = 0; i < pixels; ++i, from += tile_row, to += row) {
        std::memcpy(to, from, tile_row);
      }
    }
  }
}

}  // namespace

void Draw(const Tiles& tiles, const Scene& scene, View<uint8_t> rgb) {
  if (tiles.pixels() == kUsualPixels) {
    DrawSized<kUsualPixels>(tiles, scene, rgb);
  } else {
    DrawSized<0>(tiles, scene, rgb);
  }
}

}  // namespace parallel_pool::minigrid
