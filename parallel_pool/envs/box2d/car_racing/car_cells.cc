#include "parallel_pool/envs/box2d/car_racing/car_cells.h"

#include <algorithm>
#include <cstring>

#include "parallel_pool/core/instruction_sets.h"
#include "parallel_pool/drawing/pygame/smoothscale.h"

namespace parallel_pool::box2d {
namespace {

using drawing::pygame::Share;
using drawing::pygame::Shrinking;
using drawing::pygame::Window;

const Shrinking kXAxis(CellMemory::kWidth, CarCells::kColumns);
const Shrinking kYAxis(CellMemory::kHeight, CarCells::kRows);

// The byte of each row of the observation from a column of equal bytes.
struct PlainCells {
  PlainCells() {
    for (int row = 0; row < CarCells::kRows; ++row) {
      const Window& window = kYAxis.windows[row];
      for (int value = 0; value < 256; ++value) {
        const int sum = Share(value, window.first_weight) + Share(value, window.last_weight) +
                        value * (window.last - window.first - 1);
        bytes[row][value] = static_cast<uint8_t>(sum * kYAxis.reciprocal >> 16);
      }
    }
  }

  uint8_t bytes[CarCells::kRows][256];
};
const PlainCells kPlainCells;

// Colors in 16 bits a number.
__m128i Widen(uint32_t rgb, uint32_t second = 0) {
  const __m128i both = _mm_cvtsi64_si128(static_cast<int64_t>(uint64_t{second} << 32 | rgb));
  return _mm_unpacklo_epi8(both, _mm_setzero_si128());
}

__m128i Load(uint64_t sum) {
  return _mm_cvtsi64_si128(static_cast<int64_t>(sum));
}

// Share() of four numbers.
__m128i ShareOf(__m128i values, int weight) {
  return _mm_mulhi_epu16(_mm_slli_epi16(values, 2), _mm_set1_epi16(static_cast<int16_t>(weight)));
}

__m128i Scaled(__m128i sums, const Shrinking& axis) {
  return _mm_mulhi_epu16(sums, _mm_set1_epi16(static_cast<int16_t>(axis.reciprocal)));
}

uint64_t Low(__m128i value) {
  return static_cast<uint64_t>(_mm_cvtsi128_si64(value));
}

uint32_t Pack(Rgb color) {
  return color.red | color.green << 8 | color.blue << 16;
}

// Two parts of the sum of `count` pixels, 9 or 10. Reads 10.
__m128i HalvesOfSum(const uint32_t* pixels, int count) {
  const __m128i zero = _mm_setzero_si128();
  const auto* four = reinterpret_cast<const __m128i*>(pixels);
  const __m128i a = _mm_loadu_si128(four), b = _mm_loadu_si128(four + 1);
  // The tenth pixel is dropped if there are 9.
  const __m128i mask = _mm_cvtsi64_si128(count == 10 ? int64_t{-1} : int64_t{0xffffffff});
  const __m128i c = _mm_and_si128(_mm_loadl_epi64(four + 2), mask);
  const __m128i low = _mm_add_epi16(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero));
  const __m128i high = _mm_add_epi16(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero));
  return _mm_add_epi16(_mm_add_epi16(low, high), _mm_unpacklo_epi8(c, zero));
}

}  // namespace

CarCells::CarCells()
    : ids_(CellMemory::kHeight * CellMemory::kRowIds),
      pixels_(new uint32_t[CellMemory::kHeight * (kColumns + 1) * CellMemory::kCellPixels]),
      memory_{ids_.data(), pixels_.get(), colors_.data()} {}

void CarCells::Clear() {
  constexpr size_t kMostColors = 64;  // more come from many envs with colors of their own
  if (sums_.size() > kMostColors) sums_.clear();
  std::ranges::fill(ids_, IdOf({0, 0, 0}));
}

uint8_t CarCells::IdOf(Rgb color) {
  const uint32_t rgb = Pack(color);
  const size_t id =
      std::find(colors_.begin(), colors_.begin() + sums_.size(), rgb) - colors_.begin();
  if (id < sums_.size()) return static_cast<uint8_t>(id);
  colors_[id] = rgb;
  ColorSums& sums = sums_.emplace_back();
  const __m128i wide = Widen(rgb);
  for (int i = 0; i < kColumns; ++i) {
    const Window& window = kXAxis.windows[i];
    const auto inner = static_cast<int16_t>(window.last - window.first - 1);
    const __m128i partial = _mm_add_epi16(ShareOf(wide, window.first_weight),
                                          _mm_mullo_epi16(wide, _mm_set1_epi16(inner)));
    const __m128i sum = _mm_add_epi16(partial, ShareOf(wide, window.last_weight));
    sums.partial[i] = Low(partial);
    sums.whole[i] = Low(sum);
    sums.shrunk[i] = Low(Scaled(sum, kXAxis));
  }
  return static_cast<uint8_t>(id);
}

[[gnu::flatten]] PARALLEL_POOL_CLONES("arch=x86-64-v3", "default") void CarCells::DrawSmoothPolygon(
    Rgb color, std::span<const drawing::pygame::Pixel> corners) {
  CellBrush brush = this->brush(color);
  drawing::pygame::gfxdraw::SmoothPolygon(brush, corners, spans_);
}

void CarCells::SetRow(int x, int y, std::span<const uint8_t> levels) {
  for (size_t i = 0; i < levels.size();) {
    const CellPlace place = kCellPlaces[x + i];
    uint32_t* pixel = memory_.PixelAt(y, place);
    for (; i < levels.size() && kCellPlaces[x + i].column == place.column; ++i) {
      *pixel++ = levels[i] * 0x010101u;
    }
  }
}

[[gnu::flatten]] PARALLEL_POOL_CLONES("arch=x86-64-v3",
                                      "default") void CarCells::Shrink(uint8_t* rgb) const {
  uint8_t is_plain[kColumns];
  for (int row = 0; row < kRows; ++row) {
    FindPlainCells(row, is_plain);
    const uint8_t* const ids = memory_.Ids(kYAxis.windows[row].first);
    const uint8_t* const plain_bytes = kPlainCells.bytes[row];
    for (int i = 0; i < kColumns; ++i, rgb += 3) {
      if (is_plain[i]) {
        const Sum sum = sums_[ids[i]].shrunk[i];
        rgb[0] = plain_bytes[sum & 255];
        rgb[1] = plain_bytes[sum >> 16 & 255];
        rgb[2] = plain_bytes[sum >> 32 & 255];
      } else {
        const Sum sum = ShrinkCell(row, i);
        rgb[0] = static_cast<uint8_t>(sum);
        rgb[1] = static_cast<uint8_t>(sum >> 16);
        rgb[2] = static_cast<uint8_t>(sum >> 32);
      }
    }
  }
}

// A cell is plain if all of its pixels have one color. The last pixel of a column's window is the
// first one of the next column.
void CarCells::FindPlainCells(int row, uint8_t* is_plain) const {
  const Window& window = kYAxis.windows[row];
  const __m128i mixed = _mm_set1_epi8(static_cast<char>(CellMemory::kMixed));
  for (int i = 0; i < kColumns; i += 16) {
    const auto load = [&](int y, int column) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(memory_.Ids(y) + column));
    };
    const __m128i color = load(window.first, i);
    __m128i differs = _mm_cmpeq_epi8(color, mixed);
    for (int y = window.first; y <= window.last; ++y) {
      const __m128i other =
          _mm_or_si128(_mm_xor_si128(color, load(y, i)), _mm_xor_si128(color, load(y, i + 1)));
      differs = _mm_or_si128(differs, other);
    }
    const __m128i plain = _mm_cmpeq_epi8(differs, _mm_setzero_si128());
    _mm_storeu_si128(reinterpret_cast<__m128i*>(is_plain + i), plain);
  }
}

CarCells::Sum CarCells::ShrinkCell(int row, int column) const {
  const Window& window = kYAxis.windows[row];
  // The first and the last row are weighted, the ones between are 7 or 8.
  const __m128i ends =
      _mm_unpacklo_epi64(SumOfRow(window.first, column), SumOfRow(window.last, column));
  const __m128i weights =
      _mm_unpacklo_epi64(_mm_set1_epi16(static_cast<int16_t>(window.first_weight)),
                         _mm_set1_epi16(static_cast<int16_t>(window.last_weight)));
  __m128i sum = _mm_mulhi_epu16(_mm_slli_epi16(Scaled(ends, kXAxis), 2), weights);
  int y = window.first + 1;
  for (; y + 1 < window.last; y += 2) {
    sum = _mm_add_epi16(sum, Scaled(SumOfRows(y, column), kXAxis));
  }
  if (y < window.last) sum = _mm_add_epi16(sum, Scaled(SumOfRow(y, column), kXAxis));
  sum = _mm_add_epi16(sum, _mm_srli_si128(sum, 8));
  return Low(Scaled(sum, kYAxis));
}

__m128i CarCells::SumOfRow(int y, int column) const {
  const Window& window = kXAxis.windows[column];
  const int id = memory_.Ids(y)[column], next = memory_.Ids(y)[column + 1];
  if (id != CellMemory::kMixed && id == next) return Load(sums_[id].whole[column]);
  const __m128i last = ShareOf(Widen(FirstPixel(y, column + 1)), window.last_weight);
  if (id != CellMemory::kMixed) return _mm_add_epi16(last, Load(sums_[id].partial[column]));
  const uint32_t* const pixels = memory_.Pixels(y, column);
  const __m128i ends = _mm_add_epi16(last, ShareOf(Widen(pixels[0]), window.first_weight));
  const __m128i halves = HalvesOfSum(pixels + 1, window.last - window.first - 1);
  const __m128i inner = _mm_add_epi16(halves, _mm_srli_si128(halves, 8));
  return _mm_move_epi64(_mm_add_epi16(ends, inner));
}

__m128i CarCells::SumOfRows(int y, int column) const {
  const uint8_t* const ids = memory_.Ids(y) + column;
  if (ids[0] != CellMemory::kMixed || ids[CellMemory::kRowIds] != CellMemory::kMixed) {
    return _mm_unpacklo_epi64(SumOfRow(y, column), SumOfRow(y + 1, column));
  }
  const Window& window = kXAxis.windows[column];
  const uint32_t *const pixels = memory_.Pixels(y, column),
                        *below = pixels + CellMemory::kCellPixels;
  const __m128i first = ShareOf(Widen(pixels[0], below[0]), window.first_weight);
  const __m128i last =
      ShareOf(Widen(FirstPixel(y, column + 1), FirstPixel(y + 1, column + 1)), window.last_weight);
  const int count = window.last - window.first - 1;
  const __m128i a = HalvesOfSum(pixels + 1, count), b = HalvesOfSum(below + 1, count);
  const __m128i inner = _mm_add_epi16(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b));
  return _mm_add_epi16(_mm_add_epi16(first, last), inner);
}

}  // namespace parallel_pool::box2d
