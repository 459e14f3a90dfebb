#include "parallel_pool/drawing/canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace parallel_pool::drawing {
namespace {

Point Whole(Point point) {
  return {std::trunc(point.x), std::trunc(point.y)};
}

// gfxdraw's rounding of a share: to 8 binary places, then 255/256 of it.
double Thinned(double share) {
  return std::floor(std::floor(share * 256) * 255 / 256) / 256;
}

}  // namespace

Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}

Point Rotated(Point point, double angle) {
  const double cos = std::cos(angle), sin = std::sin(angle);
  return {cos * point.x - sin * point.y, sin * point.x + cos * point.y};
}

Canvas::Canvas(View<uint8_t> rgb, ImageSize size, YAxis axis)
    : first_row_(axis == YAxis::kDown ? rgb.data : rgb.data + 3 * size.width * (size.height - 1)),
      stride_(axis == YAxis::kDown ? 3 * size.width : -3 * size.width),
      size_(size) {}

void Canvas::Fill(Rgb color) {
  FillRect({0, 0, size_.width, size_.height}, color);
}

void Canvas::FillRect(Rect rect, Rgb color) {
  for (int y = rect.y; y < rect.y + rect.height; ++y) {
    FillRow(y, rect.x, rect.x + rect.width - 1, color);
  }
}

void Canvas::DrawFrame(Rect rect, Rgb color) {
  const auto [x, y, width, height] = rect;
  FillRect({x, y, width, 1}, color);
  FillRect({x, y + height - 1, width, 1}, color);
  FillRect({x, y, 1, height}, color);
  FillRect({x + width - 1, y, 1, height}, color);
}

// Draws the smooth edges first: the inside then covers their inner pixels.
void Canvas::FillPolygon(std::span<const Point> corners, Rgb color) {
  for (size_t i = 0; i < corners.size(); ++i) {
    DrawEdge(Whole(corners[i]), Whole(corners[(i + 1) % corners.size()]), color);
  }
  FillInside(corners, color);
}

// Fills each row between the points where edges cross it; pixels that are half inside are not
// filled.
void Canvas::FillInside(std::span<const Point> corners, Rgb color) {
  double low = kInf, high = -kInf;
  for (const Point& corner : corners) {
    low = std::min(low, std::trunc(corner.y));
    high = std::max(high, std::trunc(corner.y));
  }
  std::vector<double> crossings;
  for (double y = std::max(low, 0.0); y <= std::min(high, size_.height - 1.0); ++y) {
    crossings.clear();
    for (size_t i = 0; i < corners.size(); ++i) {
      Point a = Whole(corners[i]), b = Whole(corners[(i + 1) % corners.size()]);
      if (a.y > b.y) std::swap(a, b);
      // An edge includes its upper end, but not its lower one, which belongs to the next edge.
      const bool crosses = y >= a.y && (y < b.y || (y == high && y == b.y && a.y < b.y));
      if (crosses) crossings.push_back(a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y));
    }
    std::sort(crossings.begin(), crossings.end());
    for (size_t i = 0; i + 1 < crossings.size(); i += 2) {
      FillRow(static_cast<int>(y), static_cast<int>(std::floor(crossings[i] + 0.5)),
              static_cast<int>(std::ceil(crossings[i + 1] - 0.5)), color);
    }
  }
}

// A line between whole pixels: where it passes between two pixels, they share it in 256 parts.
void Canvas::DrawEdge(Point from, Point to, Rgb color) {
  if (from.y > to.y) std::swap(from, to);
  const bool is_steep = to.y - from.y > std::abs(to.x - from.x);
  const int side = to.x < from.x ? -1 : 1, x0 = static_cast<int>(from.x);
  const double width = std::abs(to.x - from.x), height = to.y - from.y;
  const double slope = is_steep ? width / height : width > 0 ? height / width : 0.0;
  for (int i = 0; i <= std::max(width, height); ++i) {
    const int whole = static_cast<int>(i * slope);
    const double far = std::floor((i * slope - whole) * 256) / 256;
    const double near = far == 0 ? 1.0 : Thinned(255.0 / 256 - far);
    const int x = x0 + side * (is_steep ? whole : i);
    const int y = static_cast<int>(from.y) + (is_steep ? i : whole);
    Blend(x, y, color, near);
    Blend(is_steep ? x + side : x, is_steep ? y : y + 1, color, Thinned(far));
  }
}

void Canvas::FillCircle(Point center, int radius, Rgb color) {
  const int x = static_cast<int>(center.x), y = static_cast<int>(center.y);
  DrawCircleEdge(x, y, radius, color);
  // The midpoint circle algorithm. The first pixel of the octant in a row decides the row's width.
  const auto rows = [&](int dy, int half) {
    FillRow(y + dy, x - half, x + half, color);
    FillRow(y - dy, x - half, x + half, color);
  };
  int last_dy = -1, decision = 1 - radius;
  for (int dx = 0, dy = radius; dx <= dy; ++dx) {
    if (dy != last_dy) rows(dy, dx);
    last_dy = dy;
    if (dx != dy) rows(dx, dy);
    decision += decision < 0 ? 2 * dx + 3 : 2 * (dx - dy--) + 5;
  }
}

// Draws the pixels that the circle cuts, except those inside it.
void Canvas::DrawCircleEdge(int x, int y, int radius, Rgb color) {
  for (int dx = 1; dx <= radius; ++dx) {
    const double dy = std::sqrt(radius * radius - dx * dx);
    const int outer = static_cast<int>(std::ceil(dy));
    if (dx > outer) return;
    const double share = Thinned(dy - std::floor(dy));
    for (const int sign_x : {-1, 1}) {
      for (const int sign_y : {-1, 1}) {
        Blend(x + sign_x * dx, y + sign_y * outer, color, share);
        if (dx != outer) Blend(x + sign_x * outer, y + sign_y * dx, color, share);
      }
    }
  }
}

// At each whole step along the longer axis, the two nearest pixels share the line.
void Canvas::DrawLine(Point from, Point to, Rgb color) {
  const bool is_steep = std::abs(to.y - from.y) > std::abs(to.x - from.x);
  if (is_steep) {
    std::swap(from.x, from.y);
    std::swap(to.x, to.y);
  }
  if (from.x > to.x) std::swap(from, to);
  const double slope = to.x == from.x ? 0.0 : (to.y - from.y) / (to.x - from.x);
  for (int a = static_cast<int>(std::ceil(from.x)); a <= to.x; ++a) {
    const double across = from.y + (a - from.x) * slope;
    const int b = static_cast<int>(std::floor(across));
    const double far = across - b;
    is_steep ? Blend(b, a, color, 1 - far) : Blend(a, b, color, 1 - far);
    is_steep ? Blend(b + 1, a, color, far) : Blend(a, b + 1, color, far);
  }
}

void Canvas::Blend(int x, int y, Rgb color, double share) {
  if (x < 0 || x >= size_.width || y < 0 || y >= size_.height) return;
  uint8_t* pixel = first_row_ + y * stride_ + 3 * x;
  for (const uint8_t source : {color.red, color.green, color.blue}) {
    *pixel = static_cast<uint8_t>(*pixel + (source - *pixel) * share);
    ++pixel;
  }
}

void Canvas::FillRow(int y, int first, int last, Rgb color) {
  if (y < 0 || y >= size_.height) return;
  for (int x = std::max(first, 0); x <= std::min(last, size_.width - 1); ++x) {
    uint8_t* const pixel = first_row_ + y * stride_ + 3 * x;
    pixel[0] = color.red;
    pixel[1] = color.green;
    pixel[2] = color.blue;
  }
}

}  // namespace parallel_pool::drawing
