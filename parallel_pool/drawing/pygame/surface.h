// A surface of pixels in memory, as pygame.Surface, and its brush.
#pragma once

#include <vector>

#include "parallel_pool/drawing/pygame/shapes.h"

namespace parallel_pool::drawing::pygame {

class Surface {
 public:
  explicit Surface(ImageSize size);  // black

  ImageSize size() const { return size_; }
  // The 3 * width bytes of a row, from left to right.
  uint8_t* Row(int y) { return rgb_.data() + y * 3 * size_.width; }
  const uint8_t* Row(int y) const { return rgb_.data() + y * 3 * size_.width; }

  void Fill(Rgb color);
  // pygame.transform.flip(surface, False, True), in place
  void FlipRows();

 private:
  const ImageSize size_;
  std::vector<uint8_t> rgb_;
};

class SurfaceBrush {
 public:
  SurfaceBrush(Surface& surface, Rgb color) : surface_(surface), color_(color) {}

  ImageSize size() const { return surface_.size(); }
  void FillRow(int y, int first, int last);
  void Blend(int x, int y, int alpha);
  void Mix(int x, int y, float share);  // see draw::AaLine

 private:
  Surface& surface_;
  const Rgb color_;
};

}  // namespace parallel_pool::drawing::pygame
