// Canvas::Blit, BlitStretched and BlitShrunk.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "parallel_pool/drawing/canvas.h"

namespace parallel_pool::drawing {
namespace {

// The pixel, of `from`, that is nearest to pixel i of `to`; in SDL's fixed point with 16 binary
// places.
int Nearest(int i, int from, int to) {
  const int64_t step = (int64_t{from} << 16) / to;
  return static_cast<int>((step / 2 + i * step) >> 16);
}

// Calls weigh(k, weight) for each pixel k, of `from`, that pixel i of `to` covers.
template <class Weigh>
void Cover(int i, int from, int to, Weigh weigh) {
  const double first = static_cast<double>(i) * from / to;
  const double last = static_cast<double>(i + 1) * from / to;
  for (int k = static_cast<int>(first); k < from && k < last; ++k) {
    weigh(k, (std::min(last, k + 1.0) - std::max(first, static_cast<double>(k))) / (last - first));
  }
}

// The mean of the pixels that the pixel (x, y) of `to` covers, for each channel, rounded down.
Rgba Mean(const Image& image, int x, int y, Rect to) {
  std::array<double, 4> sums{};
  Cover(y, image.height, to.height, [&](int from_y, double weight_y) {
    Cover(x, image.width, to.width, [&](int from_x, double weight_x) {
      const Rgba pixel = image.At(from_x, from_y);
      const double weight = weight_x * weight_y;
      sums[0] += weight * pixel.red;
      sums[1] += weight * pixel.green;
      sums[2] += weight * pixel.blue;
      sums[3] += weight * pixel.alpha;
    });
  });
  const auto whole = [](double sum) { return static_cast<uint8_t>(sum); };
  return {whole(sums[0]), whole(sums[1]), whole(sums[2]), whole(sums[3])};
}

}  // namespace

void Canvas::Blit(const Image& image, int x, int y, Mirrored mirrored) {
  BlitStretched(image, {x, y, image.width, image.height}, mirrored);
}

void Canvas::BlitStretched(const Image& image, Rect to, Mirrored mirrored) {
  std::vector<int> columns(to.width);  // column of squares for each pixel of a row
  for (int x = 0; x < to.width; ++x) {
    const int from = mirrored.x ? to.width - 1 - x : x;
    columns[x] = Nearest(from, image.width, to.width) / image.zoom;
  }
  for (int y = 0; y < to.height; ++y) {
    const int from = Nearest(mirrored.y ? to.height - 1 - y : y, image.height, to.height);
    const uint8_t* row = image.squares + from / image.zoom * (image.width / image.zoom);
    for (int x = 0; x < to.width; ++x) {
      const auto [red, green, blue, alpha] = image.palette[row[columns[x]]];
      if (alpha == 255) {
        FillRow(to.y + y, to.x + x, to.x + x, {red, green, blue});
      } else if (alpha > 0) {
        Blend(to.x + x, to.y + y, {red, green, blue}, alpha / 255.0);
      }
    }
  }
}

void Canvas::BlitShrunk(const Image& image, Rect to, Mirrored mirrored) {
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      const Rgba pixel =
          Mean(image, mirrored.x ? to.width - 1 - x : x, mirrored.y ? to.height - 1 - y : y, to);
      Blend(to.x + x, to.y + y, {pixel.red, pixel.green, pixel.blue}, pixel.alpha / 255.0);
    }
  }
}

}  // namespace parallel_pool::drawing
