#include "parallel_pool/drawing/pygame/smoothscale.h"

namespace parallel_pool::drawing::pygame {
namespace {

constexpr int kWhole = 1 << 14;  // a weight of one pixel

// One output value, of pixels that are `stride` bytes apart.
uint8_t Average(const Shrinking& shrinking, const Window& window, const uint8_t* in,
                int64_t stride) {
  int sum = Share(in[window.first * stride], window.first_weight) +
            Share(in[window.last * stride], window.last_weight);
  for (int i = window.first + 1; i < window.last; ++i) sum += in[i * stride];
  return static_cast<uint8_t>(sum * shrinking.reciprocal >> 16);
}

}  // namespace

Shrinking::Shrinking(int from, int to) {
  const int64_t space = int64_t{kWhole} * from / to;  // what an output covers, in weights
  reciprocal = static_cast<int>((int64_t{1} << 30) / space);
  for (int64_t i = 0; i < to; ++i) {
    const int64_t begin = i * space, end = begin + space;
    // An end on the border between two pixels covers the one before it as a whole.
    const int64_t last = (end - 1) / kWhole;
    windows.push_back({static_cast<int>(begin / kWhole), static_cast<int>(last),
                       static_cast<int>(kWhole - begin % kWhole),
                       static_cast<int>(end - last * kWhole)});
  }
}

void SmoothScale(const Surface& surface, ImageSize size, uint8_t* out) {
  const ImageSize from = surface.size();
  const Shrinking x_axis(static_cast<int>(from.width), static_cast<int>(size.width));
  const Shrinking y_axis(static_cast<int>(from.height), static_cast<int>(size.height));
  const int64_t stride = 3 * size.width;
  std::vector<uint8_t> rows(from.height * stride);
  for (int y = 0; y < from.height; ++y) {
    for (int64_t i = 0; i < stride; ++i) {
      rows[y * stride + i] = Average(x_axis, x_axis.windows[i / 3], surface.Row(y) + i % 3, 3);
    }
  }
  for (int64_t i = 0; i < size.height * stride; ++i) {
    out[i] = Average(y_axis, y_axis.windows[i / stride], rows.data() + i % stride, stride);
  }
}

}  // namespace parallel_pool::drawing::pygame
