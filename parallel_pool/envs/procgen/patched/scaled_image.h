// Draws an image into a rectangle of a screen, pixel for pixel as Qt 5.13 does without smoothing:
// each pixel of the screen takes the nearest one of the image, in 16.16 fixed point.
#pragma once

#include <cmath>
#include <cstdint>

namespace parallel_pool::procgen {

inline constexpr int kScreenSize = 64;  // pixels, of an observation

// The layout of Qt's QRectF.
struct Rect {
  double x, y, width, height;  // pixels

  bool operator==(const Rect&) const = default;
};

// 32 bits per pixel: 0xAARRGGBB, with colors multiplied by alpha.
struct Image {
  const uint32_t* pixels;
  int width, height;  // pixels
  int row;            // pixels from row to row
};

// Whether this code draws the image as Qt does; Qt has other code for special cases.
inline bool CanDraw(const Image& image, const Rect& rect) {
  constexpr double kMost = 0x7fff;
  return rect.width > 0 && rect.height > 0 && rect.width < kMost && rect.height < kMost &&
         std::abs(rect.x) < kMost && std::abs(rect.y) < kMost &&
         (image.width > 1 || image.height > 1) &&
         (rect.width != image.width || rect.height != image.height);
}

// Draws an image with alpha, or copies one without.
void Blend(const Image& image, const Rect& rect, uint32_t* screen);
void Copy(const Image& image, const Rect& rect, uint32_t* screen);

}  // namespace parallel_pool::procgen
