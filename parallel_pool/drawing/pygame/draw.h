// The shapes of pygame.draw.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "parallel_pool/drawing/pygame/shapes.h"

namespace parallel_pool::drawing::pygame::draw {

// Where the edges of a polygon cross row y, sorted, in whole pixels: left ends are rounded down and
// right ends up. Returns their number, which is at most corners.size(). `bottom` is the polygon's
// largest y.
int FindCrossings(std::span<const Pixel> corners, int y, int bottom, int* crossings);

// The ends of row y of a filled triangle whose `corners` are sorted by y, in whole pixels.
std::pair<int, int> TriangleRow(const std::array<Pixel, 3>& corners, int y);

template <Brush T>
void Triangle(T& brush, std::span<const Pixel> corners) {
  std::array<Pixel, 3> sorted{corners[0], corners[1], corners[2]};
  std::ranges::stable_sort(sorted, {}, &Pixel::y);
  // A level triangle is drawn between two different corners, if there are two.
  if (sorted[0] == sorted[1] && sorted[1].y == sorted[2].y) std::swap(sorted[1], sorted[2]);
  const int first = std::max(sorted[0].y, 0);
  const int last = std::min<int>(sorted[2].y, brush.size().height - 1);
  for (int y = first; y <= last; ++y) {
    const auto [a, b] = TriangleRow(sorted, y);
    FillRowClipped(brush, y, a, b);
  }
}

// pygame.draw.polygon(width=0)
template <Brush T>
void Polygon(T& brush, std::span<const Pixel> corners) {
  if (corners.size() == 3) return Triangle(brush, corners);
  const auto [low, high] = std::ranges::minmax(corners, {}, &Pixel::y);
  if (low.y == high.y) {
    const auto [left, right] = std::ranges::minmax(corners, {}, &Pixel::x);
    return FillRowClipped(brush, low.y, left.x, right.x);
  }
  const int first = std::max(low.y, 0), last = std::min<int>(high.y, brush.size().height - 1);
  int crossings[kMaxCorners];
  for (int y = first; y <= last; ++y) {
    const int count = FindCrossings(corners, y, high.y, crossings);
    for (int i = 0; i + 1 < count; i += 2) {
      FillRowClipped(brush, y, crossings[i], crossings[i + 1]);
    }
  }
  // The rows above exclude a level edge between the first and the last row.
  for (size_t i = 0; i < corners.size(); ++i) {
    const Pixel a = corners[i == 0 ? corners.size() - 1 : i - 1], b = corners[i];
    if (a.y == b.y && low.y < a.y && a.y < high.y) FillRowClipped(brush, a.y, a.x, b.x);
  }
}

// pygame.draw.line, and each part of pygame.draw.lines: `width` pixels, which lie side by side
// along the axis that the line is shorter on. A width below 1 draws nothing.
template <Brush T>
void Line(T& brush, Pixel a, Pixel b, int width = 1) {
  const int x_length = std::abs(b.x - a.x), y_length = std::abs(b.y - a.y);
  const int x_side = a.x < b.x ? 1 : -1, y_side = a.y < b.y ? 1 : -1;
  const bool is_steep = x_length <= y_length;
  const int after = width / 2, before = after - 1 + width % 2;
  int error = (x_length > y_length ? x_length : -y_length) / 2;
  const int steps = std::max(x_length, y_length);
  for (int i = 0; i <= steps && width > 0; ++i) {
    if (is_steep) {
      FillRowClipped(brush, a.y, a.x - before, a.x + after);
    } else {
      for (int y = a.y - before; y <= a.y + after; ++y) FillRowClipped(brush, y, a.x, a.x);
    }
    const int last = error;
    if (last > -x_length) {
      error -= y_length;
      a.x += x_side;
    }
    if (last < y_length) {
      error += x_length;
      a.y += y_side;
    }
  }
}

// pygame.draw.lines, and pygame.draw.polygon of this width if the lines are closed.
template <Brush T>
void Lines(T& brush, std::span<const Pixel> points, bool is_closed, int width = 1) {
  for (size_t i = 0; i + 1 < points.size(); ++i) Line(brush, points[i], points[i + 1], width);
  if (is_closed && points.size() > 2) Line(brush, points.back(), points.front(), width);
}

// pygame.draw.circle(width=0). The center is the corner between four pixels. A radius below 1 draws
// nothing.
template <Brush T>
void Circle(T& brush, Pixel center, int radius) {
  const auto fill_rows = [&](int y, int half) {
    FillRowClipped(brush, center.y + y - 1, center.x - half, center.x + half - 1);
    FillRowClipped(brush, center.y - y, center.x - half, center.x + half - 1);
  };
  // The midpoint circle algorithm: `error` says whether the next pixel is outside.
  int error = 1 - radius;
  for (int x = 0, y = radius; x < y;) {
    if (error >= 0) error -= 2 * --y;
    error += 2 * ++x + 1;
    if (error >= 0) fill_rows(y, x);  // the last x of this y
    fill_rows(x, y);
  }
}

}  // namespace parallel_pool::drawing::pygame::draw
