// The weights of Shrink's outputs, and an output in OpenCV's own order of float operations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {

inline constexpr int kWhole = 200;  // the sum of an output's weights
inline constexpr int kMaxTaps = 3;  // the most inputs of an output along an axis

// The three inputs of one output along one axis, from `first` on.
struct Taps {
  int first;
  std::array<int, kMaxTaps> weight;    // adds up to 40 (columns) or 5 (rows)
  std::array<float, kMaxTaps> share;   // the same as OpenCV rounds it; adds up to about 1
  std::array<bool, kMaxTaps> present;  // OpenCV skips the others
};

// Output `i` of `to`, each `wide` units long, over inputs of `unit` units each.
constexpr Taps MakeTaps(int i, int from, int to, int wide, int unit) {
  const int begin = i * wide, end = begin + wide;
  Taps taps{std::min(begin / unit, from - kMaxTaps), {}, {}, {}};
  // OpenCV's edges, with their rounding errors.
  const double scale = 1.0 / (static_cast<double>(to) / from);
  const double left = i * scale, right = left + scale, width = std::min(scale, from - left);
  for (int k = 0; k < kMaxTaps; ++k) {
    const int index = taps.first + k;
    const int weight = std::min(end, (index + 1) * unit) - std::max(begin, index * unit);
    if (weight <= 0) continue;
    const double part = std::min(right, index + 1.0) - std::max<double>(left, index);
    taps.weight[k] = weight;
    taps.share[k] = static_cast<float>(part / width);
    taps.present[k] = true;
  }
  return taps;
}

inline constexpr auto kColumns = [] {
  std::array<Taps, kShrinkTo> taps{};
  for (int x = 0; x < kShrinkTo; ++x) taps[x] = MakeTaps(x, kScreenWidth, kShrinkTo, 40, 21);
  return taps;
}();

inline constexpr auto kRows = [] {
  std::array<Taps, kShrinkTo> taps{};
  for (int y = 0; y < kShrinkTo; ++y) taps[y] = MakeTaps(y, kShrinkFromHeight, kShrinkTo, 5, 2);
  return taps;
}();

// One pixel in OpenCV's own order of float operations. `rows` are the three rows of `tap_y`.
inline uint8_t FloatPixel(const std::array<const uint8_t*, kMaxTaps>& rows, const Taps& tap_y,
                          const Taps& tap_x) {
  float sum = 0.0f;
  for (int k = 0; k < kMaxTaps; ++k) {
    if (!tap_y.present[k]) continue;
    float row = 0.0f;
    for (int i = 0; i < kMaxTaps; ++i) {
      if (tap_x.present[i]) row += rows[k][tap_x.first + i] * tap_x.share[i];
    }
    sum += row * tap_y.share[k];
  }
  return static_cast<uint8_t>(std::lrint(sum));
}

}  // namespace parallel_pool::atari
