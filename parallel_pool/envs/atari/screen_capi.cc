// FrameMaker as a C function, for screen_test.py (ctypes).
#include <algorithm>
#include <memory>

#include "parallel_pool/envs/atari/screen.h"

using parallel_pool::atari::FrameMaker;
using parallel_pool::atari::Palette;
using parallel_pool::drawing::Interpolation;

// `palette` has 256 gray values, then 256 of red, of green and of blue.
extern "C" __attribute__((visibility("default"))) void MakeFrame(
    const uint8_t* palette, const uint8_t* newer, const uint8_t* older, int screen_height,
    int height, int width, bool gray, bool area, uint8_t* frame) {
  auto colors = std::make_unique<Palette>();
  std::copy_n(palette, 256, colors->gray.begin());
  for (auto& channel : colors->rgb) std::copy_n(palette += 256, 256, channel.begin());
  FrameMaker maker(*colors, screen_height,
                   {{height, width}, gray, area ? Interpolation::kArea : Interpolation::kLinear});
  maker.Make(newer, older, frame);
}
