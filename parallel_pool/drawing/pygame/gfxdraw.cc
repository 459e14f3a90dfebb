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

int FindEdges(std::span<const Pixel> corners, int row, int bottom, FillEdge* edges) {
  int count = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    Pixel top = corners[i == 0 ? corners.size() - 1 : i - 1], end = corners[i];
    if (top.y > end.y) std::swap(top, end);
    // An edge owns its upper end; only the polygon's last row takes the lower ends, too.
    const int last_row = end.y == bottom ? end.y : end.y - 1;
    if (top.y == end.y || last_row < row) continue;
    const int height = end.y - top.y, width = end.x - top.x;
    // SDL_gfx multiplies the width by this quotient, in 32 bits.
    const int64_t reached = int64_t{65536} * std::max(row - top.y, 0);
    edges[count++] = {
        .first_row = top.y,
        .last_row = last_row,
        .height = height,
        .width = width,
        .crossing = static_cast<uint32_t>(reached / height * width + int64_t{65536} * top.x),
        .step = static_cast<uint32_t>(int64_t{65536 / height} * width),
        .rest = static_cast<int>(reached % height),
        .rest_step = 65536 % height,
    };
  }
  return count;
}

}  // namespace parallel_pool::drawing::pygame::gfxdraw
