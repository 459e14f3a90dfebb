// pygame.transform.smoothscale, for smaller sizes, as pygame computes it with SSE2.
//
// pygame's result depends on its backend (pygame.transform.get_smoothscale_backend()). The backend
// is SSE2 on each x86-64 CPU. GENERIC, on other CPUs, rounds other values: 2 % of the bytes differ
// by 1.
#pragma once

#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/drawing/pygame/surface.h"

namespace parallel_pool::drawing::pygame {

// The pixels of one axis that an output pixel covers: `first` to `last`. The ends are covered in
// part; their weights are in 1/16384 of a pixel. `first_weight` is 16384 for a whole pixel.
struct Window {
  int first, last;
  int first_weight, last_weight;
};

// How an axis of `from` pixels becomes one of `to` < from pixels.
struct Shrinking {
  Shrinking(int from, int to);

  std::vector<Window> windows;  // of each output pixel
  int reciprocal;               // a sum becomes sum * reciprocal >> 16
};

// The share of a pixel that is covered in part.
inline int Share(int pixel, int weight) {
  return (pixel << 2) * weight >> 16;
}

// Writes size.height * size.width * 3 bytes. Both sides of `size` are shorter than the surface's.
void SmoothScale(const Surface& surface, ImageSize size, uint8_t* out);

}  // namespace parallel_pool::drawing::pygame
