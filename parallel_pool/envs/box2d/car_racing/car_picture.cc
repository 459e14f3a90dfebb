#include "parallel_pool/envs/box2d/car_racing/car_picture.h"

#include "parallel_pool/drawing/pygame/smoothscale.h"
#include "parallel_pool/drawing/pygame/surface.h"
#include "parallel_pool/envs/box2d/car_racing/car_painter.h"

namespace parallel_pool::box2d {
namespace {

using drawing::pygame::Surface;
using drawing::pygame::SurfaceBrush;

struct SurfaceTarget {
  SurfaceBrush brush(Rgb color) { return {surface, color}; }
  SurfaceBrush panel_brush(Rgb color) { return {surface, color}; }
  void DrawSmoothPolygon(Rgb color, std::span<const drawing::pygame::Pixel> corners) {
    SurfaceBrush brush(surface, color);
    drawing::pygame::gfxdraw::AaPolygon(brush, corners);
    drawing::pygame::gfxdraw::FilledPolygon(brush, corners);
  }
  void SetRow(int x, int y, std::span<const uint8_t> levels) {
    for (const uint8_t level : levels) {
      SurfaceBrush(surface, {level, level, level}).FillRow(y, x, x);
      ++x;
    }
  }

  Surface& surface;
};

}  // namespace

void DrawCarPicture(const CarScene& scene, ImageSize size, bool has_skid_marks, uint8_t* rgb) {
  Surface surface(kCarWindow);
  SurfaceTarget target{surface};
  CarPainter painter(scene, target);
  painter.DrawRoad();
  if (has_skid_marks) painter.DrawSkidMarks();
  painter.DrawCar();
  surface.FlipRows();  // so far, rows count from below
  painter.DrawPanel();
  drawing::pygame::SmoothScale(surface, size, rgb);
}

}  // namespace parallel_pool::box2d
