// Surfaces with an alpha of each pixel, as pygame.Surface(size, pygame.SRCALPHA): rectangles,
// pygame.transform.rotate and Surface.blit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parallel_pool/drawing/pygame/shapes.h"

namespace parallel_pool::drawing::pygame {

struct Rgba {
  uint8_t red, green, blue, alpha;
  bool operator==(const Rgba&) const = default;
};

struct Rect { int x, y, width, height; };

// Columns or rows `first` to `end` - 1; none if end <= first.
struct Range {
  int first, end;

  Range operator&(Range other) const {
    return {std::max(first, other.first), std::min(end, other.end)};
  }
};

class AlphaSurface {
 public:
  // Gives it this size and makes all pixels transparent and black. Memory is kept.
  void Reset(ImageSize size);

  ImageSize size() const { return size_; }
  // Rows that have been painted on; all others are transparent and black.
  Range painted() const { return painted_; }
  const Rgba* Row(int y) const { return pixels_.data() + int64_t{y} * size_.width; }
  // A row to paint on.
  Rgba* PaintedRow(int y);

  // pygame.draw.rect(width=0); pixels become `color`, its alpha included. An empty rectangle draws
  // nothing.
  void FillRect(Rect rect, Rgba color);
  // pygame.draw.rect(width=1). A rectangle with less than 3 rows or columns on the surface is
  // filled.
  void DrawFrame(Rect rect, Rgba color);

 private:
  // The part on the surface; no width or no height if there is none.
  Rect Clipped(Rect rect) const;

  ImageSize size_{0, 0};
  Range painted_{0, 0};
  std::vector<Rgba> pixels_;  // those of larger surfaces before; transparent and black
};

// A surface without alpha that belongs to the caller: 3 bytes per pixel, row by row.
struct RgbPixels {
  uint8_t* Row(int y) const { return rgb + int64_t{3} * y * size.width; }

  uint8_t* rgb;
  ImageSize size;
};

// pygame.transform.rotate(image, degrees), counterclockwise: a view of `image`, not a copy. pygame
// keeps the angle as a float.
//
// Each of its pixels is the nearest of `image`; those outside have the color of its first pixel,
// with alpha 0. An empty image stays as it is.
class Rotated {
 public:
  Rotated(const AlphaSurface& image, float degrees);

  ImageSize size() const { return size_; }
  Range image_rows() const { return {0, image_.size().height}; }
  // The rows of the image that may have visible pixels.
  Range painted_rows() const { return image_.painted(); }
  // The columns of row y whose pixels come from these rows of the image.
  Range Columns(int y, Range rows) const;
  // Calls visit(x, pixel) for these columns of row y.
  template <class Visit>
  void ForEach(int y, Range columns, Visit visit) const {
    int64_t from_x = x_ - int64_t{sin_} * y + int64_t{cos_} * columns.first;
    int64_t from_y = y_ + int64_t{cos_} * y + int64_t{sin_} * columns.first;
    for (int x = columns.first; x < columns.end; ++x, from_x += cos_, from_y += sin_) {
      visit(x, image_.Row(static_cast<int>(from_y >> 16))[from_x >> 16]);
    }
  }
  // The pixels of all other columns; the image is not empty.
  Rgba outside() const;

 private:
  const AlphaSurface& image_;
  ImageSize size_;
  // In 1/65536: where the first pixel lies on the image, and the turn.
  int x_, y_, cos_, sin_;
};

// target.blit(image, at): the image's first pixel comes to `at`; parts beyond the target are
// dropped. A pixel of alpha 0 changes nothing that is visible.
//
// The blend is pygame's own, which it uses for targets of 4 bytes per pixel.
void Blit(const Rotated& image, Pixel at, RgbPixels target);
void Blit(const Rotated& image, Pixel at, AlphaSurface* target);

}  // namespace parallel_pool::drawing::pygame
