// A canvas for the Render of an env. Shapes look as pygame's gfxdraw draws them, so pictures can be
// compared with Gymnasium's: corners are cut to whole pixels, and the remaining edges are smoothed
// by the lines and circles of Wu 1991. Parts outside the canvas are not drawn.
//
// Why not SDL: Gymnasium's pictures are a dozen polygons, circles and sprites. To equal them, a
// canvas has to follow gfxdraw pixel by pixel anyway: 250 lines, and the wheel needs no library
// more. `drawing` is a library of its own because two families draw and neither may know the other.
#pragma once

#include <cstdint>
#include <span>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/drawing/image.h"

namespace parallel_pool::drawing {

struct Rgb { uint8_t red, green, blue; };
inline constexpr Rgb kBlack{0, 0, 0}, kWhite{255, 255, 255};

// In pixels: (0, 0) is the middle of the first one, y counts as the canvas says.
struct Point { double x, y; };
Point operator+(Point a, Point b);
// `point` turned about (0, 0) by `angle` in rad, from the x axis to the y axis.
Point Rotated(Point point, double angle);

struct Rect { int x, y, width, height; };
struct Mirrored { bool x = false, y = false; };

enum class YAxis { kDown, kUp };

class Canvas {
 public:
  // Draws into `rgb`, the height * width * 3 bytes that Render is given.
  Canvas(View<uint8_t> rgb, ImageSize size, YAxis axis = YAxis::kDown);

  void Fill(Rgb color);
  void FillRect(Rect rect, Rgb color);
  // The outermost pixels of `rect`.
  void DrawFrame(Rect rect, Rgb color);
  void FillPolygon(std::span<const Point> corners, Rgb color);
  void FillCircle(Point center, int radius, Rgb color);
  // A smooth line, one pixel wide.
  void DrawLine(Point from, Point to, Rgb color);

  // `image` with its first corner at (x, y), each pixel one of the canvas.
  void Blit(const Image& image, int x, int y, Mirrored mirrored = {});
  // `image` stretched over `to`, each pixel taken from the nearest.
  void BlitStretched(const Image& image, Rect to, Mirrored mirrored = {});
  // `image` shrunk into `to`, each pixel the mean of those that it stands for.
  void BlitShrunk(const Image& image, Rect to, Mirrored mirrored = {});

 private:
  // `share` is the part of the new color, 0 to 1.
  void Blend(int x, int y, Rgb color, double share);
  void FillRow(int y, int first, int last, Rgb color);
  void DrawEdge(Point from, Point to, Rgb color);
  void DrawCircleEdge(int x, int y, int radius, Rgb color);
  void FillInside(std::span<const Point> corners, Rgb color);

  uint8_t* const first_row_;
  const int64_t stride_;  // bytes from row y to row y + 1
  const ImageSize size_;
};

}  // namespace parallel_pool::drawing
