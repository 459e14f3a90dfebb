#include "parallel_pool/drawing/area_average.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "parallel_pool/core/instruction_sets.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <arm_neon.h>
#endif

#if defined(__clang__)  // it vectorizes with -O2
#define PARALLEL_POOL_O3
#else
#define PARALLEL_POOL_O3 __attribute__((optimize("O3")))
#endif

namespace parallel_pool::drawing {
namespace {

// An average so near to a half may be rounded otherwise by OpenCV. Its float sum of at most 16
// products, each below 256, is off by less than 16 * 256 / 2^23 = 0.0005.
constexpr float kNear = 0.0005f;

bool IsNearHalf(float average, int rounded) {
  return std::abs(average - static_cast<float>(rounded)) >= 0.5f - kNear;
}

// The length of an output along an axis, in units of which an input has to / gcd.
int Length(int from, int to) {
  return from / std::gcd(from, to);
}

}  // namespace

bool AreaAverage::Fits(ImageSize from, ImageSize to) {
  const int width = Length(from.width, to.width), height = Length(from.height, to.height);
  // Sums along y are int16_t, and those along both axes exact as float.
  return from.width > to.width && from.height > to.height && height * 255 <= INT16_MAX &&
         int64_t{width} * height * 255 < (1 << 24) && width * 255 <= INT16_MAX &&
         from.width / to.width + 2 <= kTaps && from.height / to.height + 2 <= kTaps;
}

AreaAverage::AreaAverage(ImageSize from, ImageSize to)
    : from_(from),
      to_(to),
      share_(1.0f /
             static_cast<float>(Length(from.width, to.width) * Length(from.height, to.height))),
      columns_(MakeTaps(from.width, to.width, (to.width + kLanes - 1) / kLanes * kLanes)),
      rows_(MakeTaps(from.height, to.height, to.height)),
      row_sums_(from.width + kTaps),
      averages_(columns_.size()),
      rounded_(columns_.size()) {
  near_halves_.reserve(static_cast<size_t>(to.width) * to.height);
}

std::vector<AreaAverage::Taps> AreaAverage::MakeTaps(int from, int to, int padded) {
  const int length = Length(from, to), unit = to / std::gcd(from, to);
  std::vector<Taps> all(padded);
  for (int i = 0; i < to; ++i) {
    const int begin = i * length, end = begin + length;
    Taps& taps = all[i];
    taps.first = begin / unit;
    for (int k = 0; k < kTaps; ++k) {
      const int input = (taps.first + k) * unit;
      const int covered = std::min(end, input + unit) - std::max(begin, input);
      taps.weight[k] = static_cast<int16_t>(std::max(covered, 0));
    }
  }
  return all;
}

PARALLEL_POOL_CLONES("arch=x86-64-v3", "default")
PARALLEL_POOL_O3 void AreaAverage::SumRows(const uint8_t* image, const Taps& taps) {
  const int width = from_.width;
  int16_t* const __restrict sums = row_sums_.data();
  const uint8_t* row = image + taps.first * width;
  for (int x = 0; x < width; ++x) sums[x] = static_cast<int16_t>(row[x] * taps.weight[0]);
  for (int k = 1; k < kTaps && taps.weight[k] > 0; ++k) {
    row += width;
    const int16_t weight = taps.weight[k];
    for (int x = 0; x < width; ++x) sums[x] = static_cast<int16_t>(sums[x] + row[x] * weight);
  }
}

#if defined(__x86_64__)

bool AreaAverage::AverageColumns() {
  const int16_t* const row_sums = row_sums_.data();
  const auto products = [row_sums](const Taps& taps) {  // of pairs: four sums of two
    const auto load = [](const int16_t* from) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    };
    return _mm_madd_epi16(load(row_sums + taps.first), load(taps.weight));
  };
  const auto add_halves = [](__m128i a, __m128i b) {
    return _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
  };
  const Taps* taps = columns_.data();
  float* const averages = averages_.data();
  uint8_t* const rounded = rounded_.data();
  const __m128 share = _mm_set1_ps(share_), half = _mm_set1_ps(0.5f - kNear);
  const __m128 sign = _mm_set1_ps(-0.0f);
  __m128 is_near = _mm_setzero_ps();
  for (size_t x = 0; x < columns_.size(); x += kLanes, taps += kLanes) {
    const __m128i left = add_halves(products(taps[0]), products(taps[1]));
    const __m128i right = add_halves(products(taps[2]), products(taps[3]));
    const __m128i sums =
        _mm_add_epi32(_mm_unpacklo_epi64(left, right), _mm_unpackhi_epi64(left, right));
    const __m128 average = _mm_mul_ps(_mm_cvtepi32_ps(sums), share);
    const __m128i nearest = _mm_cvtps_epi32(average);
    const __m128 off = _mm_sub_ps(average, _mm_cvtepi32_ps(nearest));
    is_near = _mm_or_ps(is_near, _mm_cmpge_ps(_mm_andnot_ps(sign, off), half));
    _mm_storeu_ps(averages + x, average);
    const __m128i words = _mm_packs_epi32(nearest, nearest);
    const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    std::memcpy(rounded + x, &bytes, sizeof(bytes));
  }
  return _mm_movemask_ps(is_near) != 0;
}

#else

bool AreaAverage::AverageColumns() {
  const int16_t* const row_sums = row_sums_.data();
  const auto products = [row_sums](const Taps& taps) {  // of pairs: four sums of two
    const int16x8_t sums = vld1q_s16(row_sums + taps.first), weights = vld1q_s16(taps.weight);
    return vpaddq_s32(vmull_s16(vget_low_s16(sums), vget_low_s16(weights)),
                      vmull_high_s16(sums, weights));
  };
  const Taps* taps = columns_.data();
  uint32x4_t is_near = vdupq_n_u32(0);
  for (size_t x = 0; x < columns_.size(); x += kLanes, taps += kLanes) {
    const int32x4_t left = vpaddq_s32(products(taps[0]), products(taps[1]));
    const int32x4_t right = vpaddq_s32(products(taps[2]), products(taps[3]));
    const float32x4_t average = vmulq_n_f32(vcvtq_f32_s32(vpaddq_s32(left, right)), share_);
    const int32x4_t nearest = vcvtnq_s32_f32(average);
    const float32x4_t off = vabdq_f32(average, vcvtq_f32_s32(nearest));
    is_near = vorrq_u32(is_near, vcgeq_f32(off, vdupq_n_f32(0.5f - kNear)));
    vst1q_f32(averages_.data() + x, average);
    const int16x4_t words = vmovn_s32(nearest);
    const uint8x8_t bytes = vqmovun_s16(vcombine_s16(words, words));
    std::memcpy(rounded_.data() + x, &bytes, kLanes);
  }
  return vmaxvq_u32(is_near) != 0;
}

#endif

const std::vector<int>& AreaAverage::Resize(const uint8_t* image, uint8_t* out) {
  near_halves_.clear();
  for (int y = 0; y < to_.height; ++y) {
    SumRows(image, rows_[y]);
    const int first = y * to_.width;
    if (AverageColumns()) {
      for (int x = 0; x < to_.width; ++x) {
        if (IsNearHalf(averages_[x], rounded_[x])) near_halves_.push_back(first + x);
      }
    }
    std::memcpy(out + first, rounded_.data(), to_.width);
  }
  return near_halves_;
}

}  // namespace parallel_pool::drawing
