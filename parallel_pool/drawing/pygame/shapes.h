// The common parts of the shapes of this folder: points, clipping and the interface of a brush.
//
// This folder computes the pixels of pygame-ce 2.5.8, for pictures that are observations: each byte
// counts. drawing/canvas.h is simpler, but its edges differ by a few levels, and it does not clip
// lines as SDL does.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool::drawing::pygame {

struct Point { double x, y; };
struct Rgb {
  uint8_t red, green, blue;
  bool operator==(const Rgb&) const = default;
};

// The most corners of a filled polygon.
inline constexpr int kMaxCorners = 64;

// The center of a pixel. pygame drops the fractions of a point, towards zero.
struct Pixel {
  int x, y;
  bool operator==(const Pixel&) const = default;
};
inline Pixel ToPixel(Point point) {
  return {static_cast<int>(point.x), static_cast<int>(point.y)};
}

// pygame.math.Vector2(point).rotate_rad(angle): it turns by exactly 0, 90, 180 or 270 degrees where
// `angle` (rad) is within 1e-6 of them.
class Rotation {
 public:
  explicit Rotation(double angle);

  Point operator()(Point point) const {
    return {cos_ * point.x - sin_ * point.y, sin_ * point.x + cos_ * point.y};
  }

 private:
  double sin_, cos_;
};

// A brush has one color and paints on one surface. Shapes are templates over the brush, since the
// surface of CarRacing's observations is not an array of pixels.
template <class T>
concept Brush = requires(T brush, int y, int x, int alpha) {
  { brush.size() } -> std::same_as<ImageSize>;  // of the surface
  brush.FillRow(y, x, x);    // pixels first to last of row y; they are on the surface
  brush.Blend(x, y, alpha);  // one pixel p becomes p + ((color - p) * alpha >> 8); alpha < 256
};

// Fills the pixels between `a` and `b`, both included, of row y. Parts off the surface are dropped.
template <Brush T>
void FillRowClipped(T& brush, int y, int a, int b) {
  const ImageSize size = brush.size();
  if (y < 0 || y >= size.height) return;
  const int first = std::max(std::min(a, b), 0);
  const int last = std::min<int>(std::max(a, b), size.width - 1);
  if (first <= last) brush.FillRow(y, first, last);
}

}  // namespace parallel_pool::drawing::pygame
