#include "parallel_pool/envs/vizdoom/screen.h"

#include <algorithm>

namespace parallel_pool::vizdoom {

void DrawScreen(const Game& game, const Scenario& scenario, View<uint8_t> rgb) {
  if (!game.HasBegun()) {
    std::ranges::fill(rgb, uint8_t{0});
    return;
  }
  const uint8_t* const pixels = game.engine().pixels(kScreen);
  const bool is_gray = NumChannels(scenario) == 1;
  if (!is_gray && !scenario.planar_colors) {
    std::copy_n(pixels, rgb.size, rgb.begin());
    return;
  }
  const size_t count = rgb.size / 3;
  for (size_t i = 0; i < rgb.size; ++i) rgb[i] = pixels[i / 3 + (is_gray ? 0 : i % 3 * count)];
}

}  // namespace parallel_pool::vizdoom
