#include "parallel_pool/drawing/pygame/gfxdraw.h"

namespace parallel_pool::drawing::pygame::gfxdraw {
namespace {

// The sides of the surface that a pixel is beyond, as bits.
enum Side : unsigned { kLeft = 1, kRight = 2, kBelow = 4, kAbove = 8 };

unsigned SidesOf(ImageSize size, Pixel pixel) {
  return (pixel.x < 0             ? kLeft
          : pixel.x >= size.width ? kRight
                                  : 0u) |
         (pixel.y < 0              ? kAbove
          : pixel.y >= size.height ? kBelow
                                   : 0u);
}

// SDL_gfx keeps coordinates in 16 bits, and what is beyond wraps around.
int Add(int coordinate, float change) {
  return static_cast<int16_t>(coordinate + static_cast<int16_t>(static_cast<int>(change)));
}

}  // namespace

// The algorithm of Cohen and Sutherland. SDL_gfx computes each cut in float.
bool ClipLine(ImageSize size, Pixel* a, Pixel* b) {
  const int right = static_cast<int>(size.width) - 1, bottom = static_cast<int>(size.height) - 1;
  while (true) {
    const unsigned sides = SidesOf(size, *a), other = SidesOf(size, *b);
    if ((sides | other) == 0) return true;
    if ((sides & other) != 0) return false;
    if (sides == 0) {
      std::swap(*a, *b);
      continue;
    }
    const bool is_upright = a->x == b->x;
    const float slope =
        is_upright ? 1.0f : static_cast<float>(b->y - a->y) / static_cast<float>(b->x - a->x);
    if (sides & (kLeft | kRight)) {
      const int edge = sides & kLeft ? 0 : right;
      a->y = Add(a->y, static_cast<float>(edge - a->x) * slope);
      a->x = edge;
    } else {
      const int edge = sides & kBelow ? bottom : 0;
      if (!is_upright) a->x = Add(a->x, static_cast<float>(edge - a->y) / slope);
      a->y = edge;
    }
  }
}

int FindCrossings(std::span<const Pixel> corners, int y, int bottom, int32_t* crossings) {
  int count = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    Pixel top = corners[i == 0 ? corners.size() - 1 : i - 1], end = corners[i];
    if (top.y > end.y) std::swap(top, end);
    // An edge owns its upper end; only the polygon's last row takes the lower ends, too.
    const bool crosses = y >= top.y && (y < end.y || (y == bottom && y == end.y && top.y < end.y));
    if (!crosses) continue;
    const int64_t share = int64_t{65536} * (y - top.y) / (end.y - top.y);
    crossings[count++] = static_cast<int32_t>(share * (end.x - top.x) + int64_t{65536} * top.x);
  }
  std::sort(crossings, crossings + count);
  return count;
}

}  // namespace parallel_pool::drawing::pygame::gfxdraw
