#include "parallel_pool/envs/vizdoom/picture.h"

#include <algorithm>
#include <array>

#include "parallel_pool/core/random.h"

namespace parallel_pool::vizdoom {
namespace {

using Color = std::array<uint8_t, 3>;

// The colors of objects by the last byte of their ids.
std::array<Color, 256> MakeColors() {
  Rng rng(42);
  std::array<Color, 256> colors;
  for (Color& color : colors) {
    for (uint8_t& channel : color) channel = static_cast<uint8_t>(rng.Uniform(25, 256));
  }
  return colors;
}

// The color of each value of the labels; black: no object.
std::array<Color, 256> ColorsOfLabels(const GameState& state) {
  static const std::array<Color, 256> of_objects = MakeColors();
  std::array<Color, 256> colors{};
  for (uint32_t i = 0; i < state.num_labels; ++i) {
    const SharedLabel& label = state.labels[i];
    colors[label.value] = of_objects[label.object_id % 256];
  }
  return colors;
}

}  // namespace

ImageSize PictureSize(const Scenario& scenario) {
  ImageSize size = SizeOf(scenario);
  size.width *= 1 + scenario.depth_buffer_enabled + scenario.labels_buffer_enabled +
                scenario.automap_buffer_enabled;
  return size;
}

void DrawPicture(const Engine& engine, const Scenario& scenario, View<uint8_t> rgb) {
  const ImageSize part = SizeOf(scenario), whole = PictureSize(scenario);
  int left = 0;  // the column at which the next part begins
  // `color_of` converts the pixel at an index of the part.
  const auto add = [&](const auto& color_of) {
    for (int y = 0; y < part.height; ++y) {
      uint8_t* out = rgb.data + (static_cast<size_t>(y) * whole.width + left) * 3;
      for (int x = 0; x < part.width; ++x, out += 3) {
        std::ranges::copy(color_of(static_cast<size_t>(y) * part.width + x), out);
      }
    }
    left += part.width;
  };
  const auto add_gray = [&](Region region) {
    add([pixels = engine.bytes(region)](size_t i) -> Color {
      return {pixels[i], pixels[i], pixels[i]};
    });
  };
  const auto add_colored = [&](Region region) {
    if (NumChannels(scenario) == 1) return add_gray(region);
    const size_t step = scenario.planar_colors ? 1 : 3;  // from pixel to pixel
    const size_t plane = scenario.planar_colors ? static_cast<size_t>(part.height) * part.width : 1;
    add([pixels = engine.bytes(region), step, plane](size_t i) -> Color {
      const uint8_t* const pixel = pixels + i * step;
      return {pixel[0], pixel[plane], pixel[2 * plane]};
    });
  };
  add_colored(kScreen);
  if (scenario.depth_buffer_enabled) add_gray(kDepth);
  if (scenario.labels_buffer_enabled) {
    add([pixels = engine.bytes(kLabels), colors = ColorsOfLabels(engine.state())](size_t i) {
      return colors[pixels[i]];
    });
  }
  if (scenario.automap_buffer_enabled) add_colored(kAutomap);
}

}  // namespace parallel_pool::vizdoom
