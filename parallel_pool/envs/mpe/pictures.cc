#include "parallel_pool/envs/mpe/pictures.h"

#include <algorithm>
#include <cmath>

#include "parallel_pool/drawing/canvas.h"

namespace parallel_pool::mpe {
namespace {

using drawing::Canvas;
using drawing::Rgb;

constexpr double kHalf = kPictureSize.width / 2.0;  // pixels
constexpr double kMargin = 0.9;                     // share of the picture that is used
constexpr double kLightest = 200;                   // of a pixel, for a share of 1

Rgb ToRgb(const Color& color) {
  const auto byte = [](double share) {
    return static_cast<uint8_t>(std::clamp(share * kLightest, 0.0, 255.0));
  };
  return {byte(color[0]), byte(color[1]), byte(color[2])};
}

// A row of dots for each agent that speaks, from the bottom up: one for each number of its word,
// white for 0 and black for 1.
void DrawWords(Canvas& canvas, const World& world) {
  constexpr int kRadius = 7, kPitch = 20, kLeft = 35, kBottom = 665;  // pixels
  int y = kBottom;
  for (int i = 0; i < world.num_agents(); ++i) {
    if (!world.entities[i].speaks) continue;
    double x = kLeft;
    canvas.FillCircle({x, y * 1.0}, kRadius, ToRgb(world.entities[i].color));
    for (const double number : world.word(i)) {
      const auto level = static_cast<uint8_t>(255 * (1 - std::clamp(number, 0.0, 1.0)));
      x += kPitch;
      canvas.FillCircle({x, y * 1.0}, kRadius, drawing::kBlack);
      canvas.FillCircle({x, y * 1.0}, kRadius - 1, {level, level, level});
    }
    y -= kPitch;
  }
}

}  // namespace

double RangeOf(const World& world) {
  double range = 0;
  for (const Entity& entity : world.entities) {
    range = std::max({range, std::abs(entity.position.x), std::abs(entity.position.y)});
  }
  return range;
}

void Draw(const World& world, double first_range, View<uint8_t> rgb) {
  Canvas canvas(rgb, kPictureSize);
  canvas.Fill(drawing::kWhite);
  const double range = RangeOf(world);
  const double scale = kHalf * (first_range > 0 ? kMargin * first_range / range : 1.0);
  for (const Entity& entity : world.entities) {
    const drawing::Point center = {kHalf + entity.position.x / range * kHalf * kMargin,
                                   kHalf - entity.position.y / range * kHalf * kMargin};
    const int radius = std::max(static_cast<int>(entity.radius * scale), 2);
    canvas.FillCircle(center, radius, drawing::kBlack);
    canvas.FillCircle(center, radius - 1, ToRgb(entity.color));
  }
  DrawWords(canvas, world);
}

}  // namespace parallel_pool::mpe
