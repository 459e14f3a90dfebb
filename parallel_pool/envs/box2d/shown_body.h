// Bodies as the pictures of the lander and the walker show them.
#pragma once

#include <Box2D/Box2D.h>

#include <array>
#include <span>
#include <vector>

#include "parallel_pool/drawing/pygame/shapes.h"
#include "parallel_pool/drawing/pygame/surface.h"

namespace parallel_pool::box2d {

using drawing::pygame::Pixel;
using drawing::pygame::Point;
using drawing::pygame::Rgb;

inline constexpr float kPixelsPerMeter = 30;

// A polygon, or an edge, which has two corners.
struct ShownBody {
  std::array<Point, b2_maxPolygonVertices> corners;  // pixels, upwards
  size_t num_corners;
  Rgb inside, outline;

  std::span<const Point> span() const { return {corners.data(), num_corners}; }
};

// The first fixture of a body.
ShownBody Show(const b2Body& body, Rgb inside, Rgb outline);

std::vector<Pixel> ToPixels(std::span<const Point> points);

// pygame.draw.polygon, then gfxdraw.aapolygon.
void FillSmoothly(drawing::pygame::Surface& surface, Rgb color, std::span<const Point> corners);

}  // namespace parallel_pool::box2d
