// Resizer as a C function, for resize_test.py (ctypes).
#include "parallel_pool/drawing/resize.h"

using parallel_pool::drawing::Interpolation;
using parallel_pool::drawing::Resizer;

extern "C" __attribute__((visibility("default"))) void Resize(const uint8_t* image, int height,
                                                              int width, int to_height,
                                                              int to_width, bool area,
                                                              uint8_t* out) {
  Resizer resizer({height, width}, {to_height, to_width},
                  area ? Interpolation::kArea : Interpolation::kLinear);
  resizer.Resize(image, out);
}
