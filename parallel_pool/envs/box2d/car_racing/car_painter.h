// Gymnasium's drawing of CarRacing, onto any target that has brushes.
//
// A target has, with rows from below:
//   brush(Rgb)                       a drawing::pygame::Brush
//   DrawSmoothPolygon(Rgb, corners)  gfxdraw's aapolygon and then filled_polygon
// and with rows from above:
//   panel_brush(Rgb)                 a drawing::pygame::Brush
//   SetRow(x, y, levels)             pixels of gray, from x to the right
#pragma once

#include <cmath>
#include <cstdio>

#include "parallel_pool/drawing/pygame/draw.h"
#include "parallel_pool/drawing/pygame/gfxdraw.h"
#include "parallel_pool/drawing/pygame/text.h"
#include "parallel_pool/envs/box2d/car_racing/car_picture.h"
#include "parallel_pool/envs/box2d/score_font.h"

namespace parallel_pool::box2d {

using drawing::pygame::Pixel;
using drawing::pygame::ToPixel;

inline constexpr double kScale = 6, kPlayfield = 2000 / kScale, kGrass = kPlayfield / 20;

// From the world to pixels of the window, with rows from below.
class CarCamera {
 public:
  explicit CarCamera(const CarScene& scene)
      // The camera zooms in during the first second.
      : zoom_(0.1 * kScale * std::max(1 - scene.time, 0.0) +
              2.7 * kScale * std::min(scene.time, 1.0)),
        rotation_(-scene.angle) {
    const Point scroll = rotation_({-scene.position.x * zoom_, -scene.position.y * zoom_});
    shift_ = {kCarWindow.width / 2 + scroll.x, kCarWindow.height / 4 + scroll.y};
  }

  Point operator()(Point point) const {
    const Point turned = rotation_(point);
    return {turned.x * zoom_ + shift_.x, turned.y * zoom_ + shift_.y};
  }

 private:
  double zoom_;
  drawing::pygame::Rotation rotation_;
  Point shift_;
};

// The white part of a wheel, which shows that it turns. False if it is on the wheel's lower side.
bool WhiteOfWheel(const WheelPose& wheel, std::array<Point, 4>* corners);

// Gymnasium's test of what it draws: a corner is on the window or less than a shape's size beyond.
bool IsNearWindow(std::span<const Point> corners);

// The bars of the panel: speed, the wheels' omegas, steering and the hull's rotation.
struct CarBar {
  std::array<Point, 4> corners;
  Rgb color;
};
std::vector<CarBar> BarsOf(const CarScene& scene);

template <class Target>
class CarPainter {
 public:
  CarPainter(const CarScene& scene, Target& target)
      : scene_(scene), camera_(scene), target_(target) {}

  void DrawRoad() {
    const double end = kPlayfield;
    DrawGround({{{end, end}, {end, -end}, {-end, -end}, {-end, end}}}, scene_.background, true);
    for (int x = -20; x < 20; x += 2) {
      for (int y = -20; y < 20; y += 2) {
        const double left = kGrass * x, low = kGrass * y;
        const double right = left + kGrass, high = low + kGrass;
        DrawGround({{{right, low}, {left, low}, {left, high}, {right, high}}}, scene_.grass, false);
      }
    }
    for (const RoadPolygon& polygon : scene_.road) {
      DrawGround(polygon.corners, polygon.color, false);
    }
  }

  void DrawSkidMarks() {
    for (const SkidMark& mark : scene_.skid_marks) {
      auto brush = target_.brush(mark.is_on_grass ? Rgb{102, 102, 0} : Rgb{0, 0, 0});
      for (size_t i = 0; i + 1 < mark.points.size(); ++i) {
        drawing::pygame::draw::Line(brush, ToPixel(camera_(mark.points[i])),
                                    ToPixel(camera_(mark.points[i + 1])), 2);
      }
    }
  }

  void DrawCar() {
    for (const WheelPose& wheel : scene_.wheels) {
      DrawPart(wheel.outline.span(), {0, 0, 0});
      std::array<Point, 4> white;
      if (WhiteOfWheel(wheel, &white)) DrawPart(white, {77, 77, 77});
    }
    for (const Outline& part : scene_.hull) DrawPart(part.span(), {204, 0, 0});
  }

  void DrawPanel() {
    const int width = kCarWindow.width, height = kCarWindow.height, top = height - height / 8;
    auto black = target_.panel_brush({0, 0, 0});
    for (int y = top; y < height; ++y) black.FillRow(y, 0, width - 1);
    for (const CarBar& bar : BarsOf(scene_)) {
      auto brush = target_.panel_brush(bar.color);
      std::array<Pixel, 4> pixels;
      std::ranges::transform(bar.corners, pixels.begin(), ToPixel);
      drawing::pygame::draw::Polygon(brush, pixels);
    }
    DrawScore(60, height - height / 16);
  }

 private:
  void DrawGround(const std::array<Point, 4>& corners, Rgb color, bool is_always_drawn) {
    std::array<Point, 4> points;
    std::ranges::transform(corners, points.begin(), camera_);
    if (!is_always_drawn && !IsNearWindow(points)) return;
    std::array<Pixel, 4> pixels;
    std::ranges::transform(points, pixels.begin(), ToPixel);
    if (!IsVisible(pixels)) return;
    target_.DrawSmoothPolygon(color, pixels);
  }

  // Whether a part of a polygon may be on the window and above the panel.
  static bool IsVisible(const std::array<Pixel, 4>& pixels) {
    const auto [left, right] = std::ranges::minmax(pixels, {}, &Pixel::x);
    const auto [low, high] = std::ranges::minmax(pixels, {}, &Pixel::y);
    constexpr int kPanel = kCarWindow.height / 8;
    // A smooth line reaches one pixel beyond its corners.
    return right.x >= -1 && left.x <= kCarWindow.width && high.y >= kPanel - 1 &&
           low.y <= kCarWindow.height;
  }

  void DrawPart(std::span<const Point> corners, Rgb color) {
    std::array<Pixel, 8> pixels;
    for (size_t i = 0; i < corners.size(); ++i) pixels[i] = ToPixel(camera_(corners[i]));
    auto brush = target_.brush(color);
    drawing::pygame::draw::Polygon(brush, {pixels.data(), corners.size()});
  }

  void DrawScore(int center_x, int center_y) {
    char text[400];  // the longest double has 310 characters
    std::snprintf(text, sizeof text, "%04.0f", scene_.reward);
    const ImageSize size = drawing::pygame::TextSize(kFont, text);
    levels_.resize(size.height * size.width);
    drawing::pygame::RenderText(kFont, text, levels_.data());
    const int left = center_x - static_cast<int>(size.width) / 2;
    const int top = center_y - static_cast<int>(size.height) / 2;
    const int first = std::max(left, 0);  // long scores end beyond the window
    const int end = std::min<int>(left + size.width, kCarWindow.width);
    for (int y = 0; y < size.height; ++y) {
      const uint8_t* const row = levels_.data() + y * size.width;
      target_.SetRow(first, top + y, std::span(row + first - left, row + end - left));
    }
  }

  const CarScene& scene_;
  const CarCamera camera_;
  Target& target_;
  std::vector<uint8_t> levels_;
};

}  // namespace parallel_pool::box2d
