// The shapes as C functions, for the tests of this folder (ctypes).
#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "parallel_pool/drawing/pygame/aaline.h"
#include "parallel_pool/drawing/pygame/draw.h"
#include "parallel_pool/drawing/pygame/gfxdraw.h"
#include "parallel_pool/drawing/pygame/rotate.h"
#include "parallel_pool/drawing/pygame/smoothscale.h"
#include "parallel_pool/drawing/pygame/surface.h"
#include "parallel_pool/drawing/pygame/test_font.h"
#include "parallel_pool/drawing/pygame/text.h"

namespace pygame = parallel_pool::drawing::pygame;
using parallel_pool::ImageSize;
using parallel_pool::test_font::kFont;

#define PARALLEL_POOL_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// A surface with the pixels of `rgb`, to which they return at the end.
class Borrowed {
 public:
  Borrowed(uint8_t* rgb, int height, int width)
      : surface({height, width}), rgb_(rgb), bytes_(3 * height * width) {
    std::copy_n(rgb_, bytes_, surface.Row(0));
  }
  ~Borrowed() { std::copy_n(surface.Row(0), bytes_, rgb_); }

  pygame::Surface surface;

 private:
  uint8_t* const rgb_;
  const int bytes_;
};

// A surface with alpha that holds a copy of `pixels`.
pygame::AlphaSurface ToSurface(const uint8_t* pixels, int height, int width) {
  pygame::AlphaSurface surface;
  surface.Reset({height, width});
  const auto* const from = reinterpret_cast<const pygame::Rgba*>(pixels);
  for (int y = 0; y < height; ++y) std::copy_n(from + y * width, width, surface.PaintedRow(y));
  return surface;
}

void CopyOut(const pygame::AlphaSurface& surface, uint8_t* pixels) {
  const auto [height, width] = surface.size();
  auto* const to = reinterpret_cast<pygame::Rgba*>(pixels);
  for (int y = 0; y < height; ++y) std::copy_n(surface.Row(y), width, to + y * width);
}

using Pixels = std::vector<pygame::Pixel>;

Pixels ToPixels(const double* points, int count) {
  Pixels pixels;
  for (int i = 0; i < count; ++i) {
    pixels.push_back(pygame::ToPixel({points[2 * i], points[2 * i + 1]}));
  }
  return pixels;
}

}  // namespace

// Draws the shape of this name with `count` points; false if there is none of this name. `width` is
// that of lines, the radius of a circle, and 1 for closed aalines.
PARALLEL_POOL_EXPORT bool Draw(const char* name, uint8_t* rgb, int height, int columns,
                               const double* points, int count, int width, const uint8_t* color) {
  Borrowed borrowed(rgb, height, columns);
  pygame::SurfaceBrush brush(borrowed.surface, {color[0], color[1], color[2]});
  const Pixels pixels = ToPixels(points, count);
  const auto* const corners = reinterpret_cast<const pygame::Point*>(points);
  const std::string_view shape = name;
  if (shape == "gfxdraw.aapolygon") {
    pygame::gfxdraw::AaPolygon(brush, pixels);
  } else if (shape == "gfxdraw.filled_polygon") {
    pygame::gfxdraw::FilledPolygon(brush, pixels);
  } else if (shape == "draw.polygon") {
    pygame::draw::Polygon(brush, pixels);
  } else if (shape == "draw.lines") {
    pygame::draw::Lines(brush, pixels, false, width);
  } else if (shape == "draw.polygon of width 1") {
    pygame::draw::Lines(brush, pixels, true);
  } else if (shape == "draw.circle") {
    pygame::draw::Circle(brush, pixels[0], width);
  } else if (shape == "draw.aaline") {
    pygame::draw::AaLine(brush, corners[0], corners[1]);
  } else if (shape == "draw.aalines") {
    pygame::draw::AaLines(brush, {corners, static_cast<size_t>(count)}, width != 0);
  } else {
    return false;
  }
  return true;
}

PARALLEL_POOL_EXPORT void SmoothScale(const uint8_t* rgb, int height, int width, int to_height,
                                      int to_width, uint8_t* out) {
  pygame::Surface surface({height, width});
  std::copy_n(rgb, 3 * height * width, surface.Row(0));
  pygame::SmoothScale(surface, {to_height, to_width}, out);
}

// The size of `pixels`, 4 bytes each, turned by `degrees`.
PARALLEL_POOL_EXPORT void RotatedSize(const uint8_t* pixels, int height, int width, float degrees,
                                      int* size) {
  const pygame::AlphaSurface image = ToSurface(pixels, height, width);
  const auto [rows, columns] = pygame::Rotated(image, degrees).size();
  size[0] = rows;
  size[1] = columns;
}

// Turns `pixels` of 4 bytes and draws them at (x, y) onto those of `target`, which have 4 bytes or
// 3.
PARALLEL_POOL_EXPORT void BlitRotated(const uint8_t* pixels, int height, int width, float degrees,
                                      int x, int y, uint8_t* target, int target_height,
                                      int target_width, bool has_alpha) {
  const pygame::AlphaSurface image = ToSurface(pixels, height, width);
  const pygame::Rotated rotated(image, degrees);
  const ImageSize size{target_height, target_width};
  if (!has_alpha) return pygame::Blit(rotated, {x, y}, pygame::RgbPixels{target, size});
  pygame::AlphaSurface below = ToSurface(target, target_height, target_width);
  pygame::Blit(rotated, {x, y}, &below);
  CopyOut(below, target);
}

// pygame.draw.rect on `pixels` of 4 bytes; `width` is 0 or 1.
PARALLEL_POOL_EXPORT void DrawRect(uint8_t* pixels, int height, int columns, const int* rect,
                                   const uint8_t* color, int width) {
  pygame::AlphaSurface surface = ToSurface(pixels, height, columns);
  const pygame::Rect where{rect[0], rect[1], rect[2], rect[3]};
  const pygame::Rgba rgba{color[0], color[1], color[2], color[3]};
  if (width == 0) {
    surface.FillRect(where, rgba);
  } else {
    surface.DrawFrame(where, rgba);
  }
  CopyOut(surface, pixels);
}

PARALLEL_POOL_EXPORT void RotateRad(double* point, double angle) {
  const pygame::Point turned = pygame::Rotation(angle)({point[0], point[1]});
  point[0] = turned.x;
  point[1] = turned.y;
}

// The size of a text in the font of the test, 42 pixels high; writes its levels unless `levels` is
// null. False if the font lacks a character.
PARALLEL_POOL_EXPORT bool Text(const char* text, int* height, int* width, uint8_t* levels) try {
  const ImageSize size = pygame::TextSize(kFont, text);
  *height = static_cast<int>(size.height);
  *width = static_cast<int>(size.width);
  if (levels != nullptr) pygame::RenderText(kFont, text, levels);
  return true;
} catch (const std::invalid_argument&) {
  return false;
}
