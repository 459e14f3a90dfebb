#include "parallel_pool/drawing/pygame/surface.h"

#include <algorithm>

namespace parallel_pool::drawing::pygame {

Surface::Surface(ImageSize size) : size_(size), rgb_(3 * size.height * size.width) {}

void Surface::Fill(Rgb color) {
  SurfaceBrush brush(*this, color);
  for (int y = 0; y < size_.height; ++y) brush.FillRow(y, 0, static_cast<int>(size_.width) - 1);
}

void Surface::FlipRows() {
  const int height = static_cast<int>(size_.height);
  for (int y = 0; y < height / 2; ++y) {
    std::swap_ranges(Row(y), Row(y + 1), Row(height - 1 - y));
  }
}

void SurfaceBrush::FillRow(int y, int first, int last) {
  uint8_t* const row = surface_.Row(y);
  for (int x = first; x <= last; ++x) {
    row[3 * x] = color_.red;
    row[3 * x + 1] = color_.green;
    row[3 * x + 2] = color_.blue;
  }
}

void SurfaceBrush::Blend(int x, int y, int alpha) {
  uint8_t* pixel = surface_.Row(y) + 3 * x;
  for (const int source : {color_.red, color_.green, color_.blue}) {
    *pixel = static_cast<uint8_t>(*pixel + ((source - *pixel) * alpha >> 8));
    ++pixel;
  }
}

void SurfaceBrush::Mix(int x, int y, float share) {
  uint8_t* pixel = surface_.Row(y) + 3 * x;
  for (const uint8_t source : {color_.red, color_.green, color_.blue}) {
    *pixel = static_cast<uint8_t>(share * source + (1 - share) * *pixel);
    ++pixel;
  }
}

}  // namespace parallel_pool::drawing::pygame
