// The shapes of pygame.gfxdraw, which are those of SDL_gfx.
//
// gfxdraw keeps the corners of polygons in 16 bits. Corners beyond +-32767 are not supported.
#pragma once

#include <span>
#include <utility>

#include "parallel_pool/drawing/pygame/shapes.h"

namespace parallel_pool::drawing::pygame::gfxdraw {

// Cuts the line from `a` to `b` to the part that lies on a surface of this size; false if there is
// none. Each cut rounds, so the remaining part can have another slope. The ends may be swapped.
bool ClipLine(ImageSize size, Pixel* a, Pixel* b);

// Where the edges of a polygon cross row y, sorted, in 1/65536 of a pixel. Returns their number,
// which is at most corners.size(). `bottom` is the polygon's largest y.
int FindCrossings(std::span<const Pixel> corners, int y, int bottom, int32_t* crossings);

// A smooth line without its last pixel, after Wu 1991. At each step along its longer axis, two
// neighboring pixels share the line, in 256 parts.
template <Brush T>
void AaLine(T& brush, Pixel a, Pixel b) {
  const ImageSize size = brush.size();
  if (!ClipLine(size, &a, &b)) return;
  const Pixel start = a;
  if (a.y > b.y) std::swap(a, b);
  if (a.y == b.y) return FillRowClipped(brush, a.y, a.x, b.x);
  if (a.x == b.x) {
    for (int y = a.y; y <= b.y; ++y) brush.FillRow(y, a.x, a.x);
    return;
  }
  brush.FillRow(start.y, start.x, start.x);
  const int side = b.x > a.x ? 1 : -1;
  const uint32_t width = std::abs(b.x - a.x), height = b.y - a.y;
  const bool is_steep = height > width;
  const uint32_t length = is_steep ? height : width,
                 slope = ((is_steep ? width : height) << 16) / length << 16;
  uint32_t across = 0;  // the fraction of the minor coordinate, in 1/2^32 of a pixel
  for (uint32_t i = 1; i < length; ++i) {
    const uint32_t before = across;
    across += slope;
    const bool carries = across <= before;  // a diagonal has slope 0 and carries at each step
    if (is_steep || carries) ++a.y;
    if (!is_steep || carries) a.x += side;
    const int weight = static_cast<int>(across >> 24);
    brush.Blend(a.x, a.y, 255 * (255 - weight) >> 8);
    const Pixel next = is_steep ? Pixel{a.x + side, a.y} : Pixel{a.x, a.y + 1};
    if (next.x < 0 || next.x >= size.width || next.y >= size.height) continue;
    brush.Blend(next.x, next.y, 255 * weight >> 8);
  }
}

// gfxdraw.aapolygon: the smooth edges only.
template <Brush T>
void AaPolygon(T& brush, std::span<const Pixel> corners) {
  for (size_t i = 0; i < corners.size(); ++i) {
    AaLine(brush, corners[i], corners[(i + 1) % corners.size()]);
  }
}

// gfxdraw.filled_polygon
template <Brush T>
void FilledPolygon(T& brush, std::span<const Pixel> corners) {
  const auto [low, high] = std::ranges::minmax(corners, {}, &Pixel::y);
  const int first = std::max(low.y, 0), last = std::min<int>(high.y, brush.size().height - 1);
  int32_t crossings[kMaxCorners];
  for (int y = first; y <= last; ++y) {
    const int count = FindCrossings(corners, y, high.y, crossings);
    for (int i = 0; i + 1 < count; i += 2) {
      // Half a pixel is rounded up, after each end has moved inwards by 1/65536.
      const auto round = [](int32_t x) { return (x >> 16) + (x >> 15 & 1); };
      FillRowClipped(brush, y, round(crossings[i] + 1), round(crossings[i + 1] - 1));
    }
  }
}

}  // namespace parallel_pool::drawing::pygame::gfxdraw
