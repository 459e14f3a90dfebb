#include "parallel_pool/envs/procgen/patched/scaled_image.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace parallel_pool::procgen {

namespace {

// The pixels of the screen that one axis of the rectangle covers. Pixel first + i shows pixel
// (place + i * step) >> 16 of the image.
struct Axis {
  int first, count;
  uint32_t place, step;
};

// Half away from zero, for numbers in the range of int.
int Round(double x) {
  if (x >= 0) return static_cast<int>(x + 0.5);
  const int below = static_cast<int>(x - 1);
  return static_cast<int>(x - below + 0.5) + below;
}

// The pixels of start .. start + length, which show `size` pixels of an image. Qt rounds the step
// from pixel to pixel before it finds the first, but for images without alpha.
template <bool has_alpha>
Axis FindPixels(double start, double length, int size) {
  const int step = static_cast<int>(has_alpha ? 65536 / (length / size) : size / length * 65536);
  Axis axis = {.first = std::max(Round(start), 0),
               .count = 0,
               .place = 0,
               .step = static_cast<uint32_t>(step)};
  axis.count = std::min(Round(start + length), kScreenSize) - axis.first;
  if (axis.count <= 0) return axis;
  const double from = axis.first + 0.5 - start;
  const double offset = has_alpha ? from * step : from * (size / length) * 65536;
  axis.place = static_cast<uint32_t>(static_cast<int>(std::ceil(offset)) - 1);
  const uint32_t last = axis.place + axis.step * static_cast<uint32_t>(axis.count - 1);
  if (static_cast<int>(last >> 16) >= size) --axis.count;
  return axis;
}

// FindPixels<true> with a memory: the cells of a grid share rows and columns.
Axis RecallPixels(double start, double length, int size) {
  struct Entry {
    double start, length;
    int size;
    Axis axis;
  };
  static thread_local Entry entries[256] = {};
  const uint64_t key = (std::bit_cast<uint64_t>(start) ^ std::bit_cast<uint64_t>(length) << 1 ^
                        static_cast<uint64_t>(size)) *
                       0x9e3779b97f4a7c15;
  Entry& entry = entries[key >> 56];
  if (entry.start != start || entry.length != length || entry.size != size) {
    entry = {start, length, size, FindPixels<true>(start, length, size)};
  }
  return entry.axis;
}

// source + screen * (1 - alpha), each byte rounded.
uint32_t BlendPixel(uint32_t source, uint32_t screen) {
  constexpr uint64_t kLow = 0x00ff00ff00ff00ff, kHalf = 0x0080008000800080;
  uint64_t bytes = (screen | uint64_t{screen} << 24) & kLow;
  bytes *= ~source >> 24;
  bytes = (bytes + ((bytes >> 8) & kLow) + kHalf) >> 8 & kLow;
  return source + static_cast<uint32_t>(bytes | bytes >> 24);
}

// The same for four pixels.
__m128i BlendPixels(__m128i source, __m128i screen) {
  const __m128i low = _mm_set1_epi32(0x00ff00ff), half = _mm_set1_epi16(0x80);
  const __m128i alpha = _mm_srli_epi32(source, 24);
  const __m128i rest =
      _mm_sub_epi16(_mm_set1_epi16(255), _mm_or_si128(alpha, _mm_slli_epi32(alpha, 16)));
  const auto scaled = [&](__m128i bytes) {
    const __m128i product = _mm_mullo_epi16(bytes, rest);
    return _mm_add_epi16(_mm_add_epi16(product, _mm_srli_epi16(product, 8)), half);
  };
  const __m128i even = _mm_srli_epi16(scaled(_mm_and_si128(screen, low)), 8);
  const __m128i odd = _mm_andnot_si128(low, scaled(_mm_srli_epi16(screen, 8)));
  return _mm_add_epi8(source, _mm_or_si128(even, odd));
}

// Pixels place >> 16, (place + step) >> 16, ... of a row.
__m128i Gather(const uint32_t* row, uint32_t place, uint32_t step) {
  const auto pixel = [&](uint32_t i) { return static_cast<int>(row[(place + i * step) >> 16]); };
  return _mm_set_epi32(pixel(3), pixel(2), pixel(1), pixel(0));
}

bool IsOpaque(__m128i pixels) {
  constexpr int kAlphas = 0x8888;
  return (_mm_movemask_epi8(_mm_cmpeq_epi8(pixels, _mm_set1_epi8(-1))) & kAlphas) == kAlphas;
}

template <bool has_alpha>
void Draw(const Image& image, const Axis& x, const Axis& y, uint32_t* screen) {
  uint32_t* out = screen + y.first * kScreenSize + x.first;
  uint32_t y_place = y.place;
  for (int j = 0; j < y.count; ++j, out += kScreenSize, y_place += y.step) {
    const uint32_t* const row = image.pixels + static_cast<int64_t>(y_place >> 16) * image.row;
    uint32_t place = x.place;
    int i = 0;
    for (; i + 4 <= x.count; i += 4, place += 4 * x.step) {
      auto* const four = reinterpret_cast<__m128i*>(out + i);
      const __m128i source = Gather(row, place, x.step);
      if (has_alpha && !IsOpaque(source)) {
        _mm_storeu_si128(four, BlendPixels(source, _mm_loadu_si128(four)));
      } else {
        _mm_storeu_si128(four, source);
      }
    }
    for (; i < x.count; ++i, place += x.step) {
      const uint32_t source = row[place >> 16];
      out[i] = has_alpha ? BlendPixel(source, out[i]) : source;
    }
  }
}

}  // namespace

void Blend(const Image& image, const Rect& rect, uint32_t* screen) {
  const Axis y = RecallPixels(rect.y, rect.height, image.height);
  if (y.count <= 0) return;
  const Axis x = RecallPixels(rect.x, rect.width, image.width);
  if (x.count > 0) Draw<true>(image, x, y, screen);
}

void Copy(const Image& image, const Rect& rect, uint32_t* screen) {
  const Axis y = FindPixels<false>(rect.y, rect.height, image.height);
  const Axis x = FindPixels<false>(rect.x, rect.width, image.width);
  if (x.count > 0 && y.count > 0) Draw<false>(image, x, y, screen);
}

}  // namespace parallel_pool::procgen
