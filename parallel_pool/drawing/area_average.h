// The fast part of cv2.INTER_AREA: averages of areas by integer arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool::drawing {

// Measured in the greatest unit that divides both an input and an output pixel, all areas are
// integers. So each average is an integer sum over a constant, rounded. OpenCV computes in float:
// it rounds to the same number, except near halves, where the last bits of its sums decide. The
// caller computes these outputs again, with OpenCV's formula.
//
// It has its own scratch memory: one thread at a time.
class AreaAverage {
 public:
  // Whether the sums of these sizes fit into 16 and 32 bits. `to` must be smaller along both axes.
  static bool Fits(ImageSize from, ImageSize to);

  // Fits(from, to) must hold.
  AreaAverage(ImageSize from, ImageSize to);

  // Resizes `image`. Returns the places (y * width + x) of the outputs that are near halves; valid
  // until the next call.
  const std::vector<int>& Resize(const uint8_t* image, uint8_t* out);

 private:
  static constexpr int kTaps = 8;  // inputs of an output along an axis; the last weights may be 0

  struct Taps {
    int first = 0;
    int16_t weight[kTaps] = {};
  };

  // `padded`: the number of outputs of the table, at least `to`; the last ones have no weights.
  static std::vector<Taps> MakeTaps(int from, int to, int padded);
  // Writes the weighted sum of some input rows into row_sums_.
  void SumRows(const uint8_t* image, const Taps& taps);
  // Writes the averages of row_sums_ into averages_ and rounded_. True if one is near a half.
  bool AverageColumns();

  static constexpr int kLanes = 4;

  const ImageSize from_, to_;
  const float share_;  // one over the sum of an output's weights
  const std::vector<Taps> columns_, rows_;
  std::vector<int16_t> row_sums_;  // for each input column, and kTaps zeros
  std::vector<float> averages_;    // one output row, padded to whole lanes
  std::vector<uint8_t> rounded_;   // the same
  std::vector<int> near_halves_;
};

}  // namespace parallel_pool::drawing
