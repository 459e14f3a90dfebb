#include "parallel_pool/envs/box2d/walker_picture.h"

#include <algorithm>

#include "parallel_pool/drawing/pygame/aaline.h"
#include "parallel_pool/drawing/pygame/draw.h"
#include "parallel_pool/drawing/pygame/gfxdraw.h"

namespace parallel_pool::box2d {
namespace {

using drawing::pygame::Surface;
using drawing::pygame::SurfaceBrush;
namespace draw = drawing::pygame::draw;

constexpr double kScale = Terrain::kScale;
constexpr int kWidth = kWalkerSize.width, kHeight = kWalkerSize.height;

void DrawSky(const WalkerScene& scene, Surface& surface) {
  const double left = scene.scroll * kScale;
  SurfaceBrush brush(surface, {215, 215, 255});
  draw::Polygon(brush,
                ToPixels(std::array<Point, 4>{
                    {{left, 0}, {left + kWidth, 0}, {left + kWidth, kHeight}, {left, kHeight}}}));
}

// Clouds are far away: they move at half of the speed.
void DrawClouds(const WalkerScene& scene, Surface& surface) {
  for (Terrain::Cloud cloud : scene.terrain.clouds) {
    const auto [left, right] = std::ranges::minmax(cloud, {}, &Terrain::Point::x);
    if (right.x < scene.scroll / 2 || left.x > scene.scroll / 2 + kWidth / kScale) continue;
    std::array<Point, 5> corners;
    std::ranges::transform(cloud, corners.begin(), [&](const Terrain::Point& p) -> Point {
      return {p.x * kScale + scene.scroll * kScale / 2, p.y * kScale};
    });
    FillSmoothly(surface, {255, 255, 255}, corners);
  }
}

void DrawGround(const WalkerScene& scene, Surface& surface) {
  const Terrain& terrain = scene.terrain;
  for (int i = 0; i + 1 < Terrain::kLength; ++i) {
    const double left = terrain.x(i), right = terrain.x(i + 1);
    if (right < scene.scroll || left > scene.scroll + kWidth / kScale) continue;
    FillSmoothly(surface, {102, 153, 76},
                 std::array<Point, 4>{{{left * kScale, terrain.y[i] * kScale},
                                       {right * kScale, terrain.y[i + 1] * kScale},
                                       {right * kScale, 0},
                                       {left * kScale, 0}}});
  }
}

void DrawRay(const WalkerScene::Ray& ray, Surface& surface) {
  const auto pixel = [](Point p) { return drawing::pygame::ToPixel({p.x * kScale, p.y * kScale}); };
  SurfaceBrush brush(surface, {255, 0, 0});
  draw::Line(brush, pixel(ray.from), pixel(ray.to));
}

void DrawBody(const ShownBody& body, Surface& surface) {
  if (body.num_corners == 2) {
    SurfaceBrush brush(surface, body.inside);
    return draw::AaLine(brush, body.corners[0], body.corners[1]);
  }
  FillSmoothly(surface, body.inside, body.span());
  std::vector<Pixel> corners = ToPixels(body.span());
  corners.push_back(corners.front());
  SurfaceBrush brush(surface, body.outline);
  draw::Lines(brush, corners, /*is_closed=*/true);
  drawing::pygame::gfxdraw::AaPolygon(brush, corners);
}

void DrawFlag(Surface& surface) {
  const double x = Terrain::kStep * 3 * kScale;
  const double low = Terrain::kHeight * kScale, top = low + 50;
  SurfaceBrush black(surface, {0, 0, 0}), red(surface, {230, 51, 0});
  draw::AaLine(black, {x, low}, {x, top});
  const std::vector<Pixel> corners =
      ToPixels(std::array<Point, 3>{{{x, top}, {x, top - 10}, {x + 25, top - 5}}});
  draw::Polygon(red, corners);
  draw::Lines(black, corners, /*is_closed=*/true);
}

}  // namespace

// The surface begins where the world begins, as Gymnasium's: smooth lines depend on how much of
// them is cut off at its sides. The view is its right end.
void DrawWalkerPicture(const WalkerScene& scene, uint8_t* rgb) {
  const int width = static_cast<int>(kWidth + std::max(0.0, scene.scroll) * kScale);
  Surface surface({kHeight, width});
  DrawSky(scene, surface);
  DrawClouds(scene, surface);
  DrawGround(scene, surface);
  if (scene.ray) DrawRay(*scene.ray, surface);
  for (const ShownBody& body : scene.bodies) DrawBody(body, surface);
  DrawFlag(surface);
  for (int y = kHeight - 1; y >= 0; --y) {
    rgb = std::copy_n(surface.Row(y) + 3 * (width - kWidth), 3 * kWidth, rgb);
  }
}

}  // namespace parallel_pool::box2d
