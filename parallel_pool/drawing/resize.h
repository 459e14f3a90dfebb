// OpenCV's resize of 8-bit images, bit for bit. Compared with OpenCV 5.0 by ==, in resize_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/drawing/area_average.h"

namespace parallel_pool::drawing {

enum class Interpolation {
  kArea,    // cv2.INTER_AREA: each output pixel averages the area that it covers
  kLinear,  // cv2.INTER_LINEAR
};

// Resizes images of one channel from one size to another. It has its own scratch memory: one thread
// at a time.
class Resizer {
 public:
  Resizer(ImageSize from, ImageSize to, Interpolation interpolation);

  // Reads from.height * from.width bytes, writes to.height * to.width.
  void Resize(const uint8_t* image, uint8_t* out);

 private:
  // OpenCV's method depends on the sizes; the names are those of the cases, not of its options.
  enum class Method {
    kCopy,        // equal sizes
    kMeanOfFour,  // both sides are halved: rounds halves up
    kMean,        // a whole number of pixels for each output pixel: rounds halves to even
    kArea,        // weights in float, rounds halves to even
    kLinear,      // weights in 1/2048
  };
  // Input `index`, with its `weight` in the output that owns this tap.
  struct Tap {
    int index;
    float weight;
  };
  // Output i is the sum of taps[first[i]] up to, not including, taps[first[i + 1]].
  struct AreaTable {
    std::vector<int> first;
    std::vector<Tap> taps;
  };
  // Two inputs around an output; their weights add up to 2048.
  struct Pair {
    int index[2];
    int weight[2];
  };
  enum class Axis { kX, kY };

  static Method Choose(ImageSize from, ImageSize to, Interpolation interpolation);
  static AreaTable MakeAreaTable(int from, int to);
  static std::vector<Pair> MakeLinearTable(int from, int to, Interpolation, Axis);

  void Mean(const uint8_t* image, uint8_t* out) const;
  void Area(const uint8_t* image, uint8_t* out);
  uint8_t AreaPixel(const uint8_t* image, int x, int y) const;
  void Linear(const uint8_t* image, uint8_t* out);
  const int* LinearRow(const uint8_t* image, int row);

  const ImageSize from_, to_;
  const Method method_;
  AreaTable area_x_, area_y_;
  std::optional<AreaAverage> average_;  // kArea, where the sizes allow it: almost all outputs
  std::vector<Pair> linear_x_, linear_y_;
  std::vector<float> row_, sum_;     // kArea: one output row of each
  std::vector<int> linear_rows_[2];  // kLinear: input rows, resized along x
  int held_[2] = {-1, -1};           // numbers of these input rows
};

}  // namespace parallel_pool::drawing
