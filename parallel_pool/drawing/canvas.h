// A canvas for the Render of an env. It draws shapes as pygame's gfxdraw, so pictures can be
// compared with Gymnasium's: corners are truncated to whole pixels, and the remaining edges are
// smoothed by the lines and circles of Wu 1991. Parts outside the canvas are not drawn.
//
// Why not SDL: Gymnasium's pictures are a dozen polygons, circles and sprites. To equal them, a
// canvas has to follow gfxdraw pixel by pixel anyway: 250 lines, and the wheel needs no further
// library. `drawing` is a library of its own because two families draw, and neither may include the
// other.
#pragma once

#include <cstdint>
#include <span>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/drawing/image.h"

namespace parallel_pool::drawing {

struct Rgb { uint8_t red, green, blue; };
inline constexpr Rgb kBlack{0, 0, 0}, kWhite{255, 255, 255};

// A point in pixels: (0, 0) is the center of the first pixel; YAxis is the direction of y.
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
  // Draws the outermost pixels of `rect`.
  void DrawFrame(Rect rect, Rgb color);
  void FillPolygon(std::span<const Point> corners, Rgb color);
  void FillCircle(Point center, int radius, Rgb color);
  // Draws a smooth line, one pixel wide.
  void DrawLine(Point from, Point to, Rgb color);

  // Draws `image` with its first corner at (x, y), pixel for pixel.
  void Blit(const Image& image, int x, int y, Mirrored mirrored = {});
  // Draws `image` stretched over `to`; each pixel is the nearest of the image.
  void BlitStretched(const Image& image, Rect to, Mirrored mirrored = {});
  // Draws `image` shrunk into `to`; each pixel is the mean of the image's pixels that it covers.
  void BlitShrunk(const Image& image, Rect to, Mirrored mirrored = {});

 private:
  // Mixes `color` into a pixel; `share` is the part of the new color, 0 to 1.
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
