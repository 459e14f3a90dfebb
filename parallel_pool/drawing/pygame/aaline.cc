#include "parallel_pool/drawing/pygame/aaline.h"

namespace parallel_pool::drawing::pygame::draw {
namespace {

// Cuts the line to top < y < bottom; false if nothing is left. from_y <= to_y.
bool ClipAcross(float slope, float top, float bottom, float* from_x, float* from_y, float* to_x,
                float* to_y) {
  if (*to_y <= top || *from_y >= bottom) return false;
  if (*from_y < top) {
    *from_x += (top - *from_y) / slope;
    *from_y = top;
  }
  if (*to_y > bottom) {
    *to_x += (bottom - *to_y) / slope;
    *to_y = bottom;
  }
  return true;
}

bool IsWhole(Point point) {
  const auto x = static_cast<float>(point.x), y = static_cast<float>(point.y);
  return std::round(x) == x && std::round(y) == y;
}

}  // namespace

std::optional<AaLinePath> ClipAaLine(ImageSize size, float from_x, float from_y, float to_x,
                                     float to_y) {
  float right = static_cast<float>(size.width), bottom = static_cast<float>(size.height);
  const bool is_steep = std::abs(to_x - from_x) < std::abs(to_y - from_y);
  if (is_steep) {
    std::swap(from_x, from_y);
    std::swap(to_x, to_y);
    std::swap(right, bottom);
  }
  if (to_x < from_x) {
    std::swap(from_x, to_x);
    std::swap(from_y, to_y);
  }
  constexpr float kLeft = -1, kTop = -1;
  if (to_x <= kLeft || from_x >= right) return std::nullopt;
  const float slope = (to_y - from_y) / (to_x - from_x);
  if (from_x < kLeft) {
    from_y += slope * (kLeft - from_x);
    from_x = kLeft;
  }
  if (to_x > right) {
    to_y += slope * (right - to_x);
    to_x = right;
  }
  const bool is_visible = slope > 0
                              ? ClipAcross(slope, kTop, bottom, &from_x, &from_y, &to_x, &to_y)
                              : ClipAcross(slope, kTop, bottom, &to_x, &to_y, &from_x, &from_y);
  if (!is_visible) return std::nullopt;
  return AaLinePath{is_steep, slope, from_x, from_y + 1, to_x, to_y + 1, kLeft, right};
}

bool IsSteep(Point from, Point to) {
  const auto length = [](double a, double b) {
    return std::abs(static_cast<float>(b) - static_cast<float>(a));
  };
  return length(from.x, to.x) < length(from.y, to.y);
}

AaEnds EndsOfLine(std::span<const Point> points, size_t i, bool is_closed) {
  const auto at = [&](size_t k) { return points[k % points.size()]; };
  const bool is_steep = IsSteep(at(i), at(i + 1));
  AaEnds ends;
  ends.has_first = ends.has_last = IsWhole(at(i + 1));
  // The first line is compared with the second one, whose height pygame takes from the first point.
  ends.has_corner = i == 0 ? is_steep > IsSteep({at(1).x, at(0).y}, at(2))
                           : is_steep != IsSteep(at(i - 1), at(i));
  if (!is_closed && i == 0) ends.has_first = true;
  if (!is_closed && i + 2 == points.size()) ends.has_last = true;
  return ends;
}

}  // namespace parallel_pool::drawing::pygame::draw
