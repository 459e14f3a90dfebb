#include "parallel_pool/envs/box2d/shown_body.h"

#include "parallel_pool/drawing/pygame/draw.h"
#include "parallel_pool/drawing/pygame/gfxdraw.h"

namespace parallel_pool::box2d {

ShownBody Show(const b2Body& body, Rgb inside, Rgb outline) {
  ShownBody shown{.corners = {}, .num_corners = 0, .inside = inside, .outline = outline};
  const auto add = [&](b2Vec2 corner) {
    const b2Vec2 at = kPixelsPerMeter * b2Mul(body.GetTransform(), corner);
    shown.corners[shown.num_corners++] = {at.x, at.y};
  };
  const b2Shape& shape = *body.GetFixtureList()->GetShape();
  if (shape.GetType() == b2Shape::e_edge) {
    const auto& edge = static_cast<const b2EdgeShape&>(shape);
    add(edge.m_vertex1);
    add(edge.m_vertex2);
  } else {
    const auto& polygon = static_cast<const b2PolygonShape&>(shape);
    for (int i = 0; i < polygon.GetVertexCount(); ++i) add(polygon.GetVertex(i));
  }
  return shown;
}

std::vector<Pixel> ToPixels(std::span<const Point> points) {
  std::vector<Pixel> pixels;
  for (const Point& point : points) pixels.push_back(drawing::pygame::ToPixel(point));
  return pixels;
}

void FillSmoothly(drawing::pygame::Surface& surface, Rgb color, std::span<const Point> corners) {
  drawing::pygame::SurfaceBrush brush(surface, color);
  const std::vector<Pixel> pixels = ToPixels(corners);
  drawing::pygame::draw::Polygon(brush, pixels);
  drawing::pygame::gfxdraw::AaPolygon(brush, pixels);
}

}  // namespace parallel_pool::box2d
