// pygame.draw.aaline and aalines: smooth lines between points with fractions, in float.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "parallel_pool/drawing/pygame/shapes.h"

namespace parallel_pool::drawing::pygame::draw {

// Which pixels of a line's ends are drawn. Lines that follow each other share their ends.
struct AaEnds {
  bool has_first = true, has_last = true;
  bool has_corner = false;  // a steep line meets a flat one: both ends are drawn
};

// A line along the axis that it is longer on: x is along it, from left to right, and y across.
struct AaLinePath {
  bool is_steep;  // x and y are swapped
  float slope;
  float from_x, from_y, to_x, to_y;
  float left, right;  // one pixel outside of the surface
};

// The part of a line on the surface or one pixel beyond. The y of the result are one too large, so
// that none is negative. nullopt: the line is not on the surface.
std::optional<AaLinePath> ClipAaLine(ImageSize size, float from_x, float from_y, float to_x,
                                     float to_y);

// Whether a line of `aalines` is steep, and the ends of the line from points[i] to the next point.
bool IsSteep(Point from, Point to);
AaEnds EndsOfLine(std::span<const Point> points, size_t i, bool is_closed);

// The two pixels of a smooth line at one x.
template <class T>
class AaPixels {
 public:
  AaPixels(T& brush, bool is_steep) : brush_(brush), is_steep_(is_steep) {}

  void DrawInner(int x, float y) {
    const int whole = static_cast<int>(y);
    const float share = 1 - y + static_cast<float>(whole);
    Mix(x, whole - 1, share);
    if (static_cast<float>(whole) < y) Mix(x, whole, 1 - share);
  }
  // `length` is the part of the pixels that the line reaches into.
  void DrawEnd(int x, float y, float length) {
    const int whole = static_cast<int>(y);
    const float share = y - static_cast<float>(whole);
    if (share > 0) Mix(x, whole, share * length);
    Mix(x, whole - 1, (1 - share) * length);
  }

 private:
  void Mix(int x, int y, float share) {
    if (is_steep_) std::swap(x, y);
    const ImageSize size = brush_.size();
    if (x >= 0 && x < size.width && y >= 0 && y < size.height) brush_.Mix(x, y, share);
  }

  T& brush_;
  const bool is_steep_;
};

// pygame.draw.aaline. The brush has Mix(x, y, share) in addition: a pixel p becomes
// (1 - share) * p + share * color, without the fraction.
template <class T>
void AaLine(T& brush, Point from, Point to, AaEnds ends = {}) {
  const auto from_x = static_cast<float>(from.x), from_y = static_cast<float>(from.y);
  const auto to_x = static_cast<float>(to.x), to_y = static_cast<float>(to.y);
  if (std::abs(to_x - from_x) < 0.0001 && std::abs(to_y - from_y) < 0.0001) {
    const int x = static_cast<int>(std::floor(from_x + 0.5));
    return FillRowClipped(brush, static_cast<int>(std::floor(from_y + 0.5)), x, x);
  }
  const auto path = ClipAaLine(brush.size(), from_x, from_y, to_x, to_y);
  if (!path) return;
  AaPixels<T> pixels(brush, path->is_steep);
  const auto y_at = [&](int x, float at_x, float at_y) {
    return at_y + path->slope * (static_cast<float>(x) - at_x);
  };
  int first = static_cast<int>(path->from_x);
  float y = y_at(first, path->from_x, path->from_y);
  if ((ends.has_first || ends.has_corner) && path->to_x > path->left + 1) {
    pixels.DrawEnd(first, y, static_cast<float>(1 + first) - path->from_x);
    y += path->slope;
    ++first;
  }
  if (!ends.has_first) {
    first = static_cast<int>(std::ceil(path->from_x));
    y = y_at(first, path->from_x, path->from_y);
  }
  const int last = static_cast<int>(std::ceil(path->to_x));
  if ((ends.has_last || ends.has_corner) && path->from_x < path->right - 1) {
    pixels.DrawEnd(last, y_at(last, path->to_x, path->to_y),
                   static_cast<float>(1 - last) + path->to_x);
  }
  for (int x = first; x < last; ++x, y += path->slope) pixels.DrawInner(x, y);
}

// pygame.draw.aalines, for three or more points.
template <class T>
void AaLines(T& brush, std::span<const Point> points, bool is_closed) {
  const size_t count = is_closed ? points.size() : points.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    AaLine(brush, points[i], points[(i + 1) % points.size()], EndsOfLine(points, i, is_closed));
  }
}

}  // namespace parallel_pool::drawing::pygame::draw
