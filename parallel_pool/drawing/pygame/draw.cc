#include "parallel_pool/drawing/pygame/draw.h"

#include <cmath>

namespace parallel_pool::drawing::pygame::draw {

int FindCrossings(std::span<const Pixel> corners, int y, int bottom, int* crossings) {
  int count = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    Pixel top = corners[i == 0 ? corners.size() - 1 : i - 1], end = corners[i];
    if (top.y > end.y) std::swap(top, end);
    const bool crosses = top.y < end.y && y >= top.y && (y < end.y || (y == bottom && y == end.y));
    if (!crosses) continue;
    const float across =
        static_cast<float>((y - top.y) * (end.x - top.x)) / static_cast<float>(end.y - top.y);
    // Ends count in the order of edges, not from left to right.
    const float whole = count % 2 == 0 ? std::floor(across) : std::ceil(across);
    crossings[count++] = static_cast<int>(whole) + top.x;
  }
  std::sort(crossings, crossings + count);
  return count;
}

std::pair<int, int> TriangleRow(const std::array<Pixel, 3>& corners, int y) {
  const auto at = [y](Pixel from, Pixel to) {
    // pygame's guard against a division by 0
    const auto slope = static_cast<float>((to.x - from.x) / (to.y - from.y + 1e-17));
    return from.x + static_cast<int>(static_cast<float>(y - from.y) * slope);
  };
  const auto [top, middle, bottom] = corners;
  return {at(top, bottom), y < middle.y ? at(top, middle) : at(middle, bottom)};
}

}  // namespace parallel_pool::drawing::pygame::draw
