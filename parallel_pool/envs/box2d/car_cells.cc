#include "parallel_pool/envs/box2d/car_cells.h"

#include <algorithm>
#include <cstring>

#include "parallel_pool/drawing/pygame/smoothscale.h"

namespace parallel_pool::box2d {
namespace {

using drawing::pygame::Share;
using drawing::pygame::Shrinking;
using drawing::pygame::Window;

const Shrinking kXAxis(CarCells::kWidth, CarCells::kColumnCount);
const Shrinking kYAxis(CarCells::kHeight, CarCells::kRows);

// The columns of the window: one more than the observation has.
struct Columns {
  Columns() {
    for (int i = 0; i < CarCells::kColumnCount; ++i) first[i] = kXAxis.windows[i].first;
    first[CarCells::kColumnCount] = kXAxis.windows.back().last;
    first[CarCells::kColumnCount + 1] = CarCells::kWidth;
    for (int x = 0, i = 0; x < CarCells::kWidth; ++x) {
      if (x == first[i + 1]) ++i;
      of[x] = static_cast<uint8_t>(i);
    }
  }

  int first[CarCells::kColumnCount + 2];  // pixel
  uint8_t of[CarCells::kWidth];           // of each pixel
};
const Columns kColumns;

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

uint32_t Pack(Rgb color) {
  return color.red | color.green << 8 | color.blue << 16;
}

__m128i Widen(uint32_t rgb) {
  return _mm_unpacklo_epi8(_mm_cvtsi32_si128(static_cast<int>(rgb)), _mm_setzero_si128());
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

// The sum of `count` pixels, 9 or 10. Reads 10.
__m128i SumOf(const uint32_t* pixels, int count) {
  const __m128i zero = _mm_setzero_si128();
  const auto* four = reinterpret_cast<const __m128i*>(pixels);
  const __m128i a = _mm_loadu_si128(four), b = _mm_loadu_si128(four + 1);
  // The tenth pixel is dropped if there are 9.
  const __m128i mask = _mm_cvtsi64_si128(count == 10 ? int64_t{-1} : int64_t{0xffffffff});
  const __m128i c = _mm_and_si128(_mm_loadl_epi64(four + 2), mask);
  const __m128i low = _mm_add_epi16(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero));
  const __m128i high = _mm_add_epi16(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero));
  const __m128i sum = _mm_add_epi16(_mm_add_epi16(low, high), _mm_unpacklo_epi8(c, zero));
  return _mm_add_epi16(sum, _mm_srli_si128(sum, 8));
}

}  // namespace

CarCells::CarCells() : ids_(kHeight * kRowIds), pixels_(new uint32_t[kHeight * kRowPixels]) {}

void CarCells::Clear() {
  constexpr size_t kMostColors = 64;  // more come from many envs with colors of their own
  if (palette_.size() > kMostColors) palette_.clear();
  std::ranges::fill(ids_, static_cast<uint8_t>(IdOf({0, 0, 0})));
}

int CarCells::IdOf(Rgb color) {
  const uint32_t rgb = Pack(color);
  for (size_t id = 0; id < palette_.size(); ++id) {
    if (palette_[id].rgb == rgb) return static_cast<int>(id);
  }
  Color& entry = palette_.emplace_back();
  entry.rgb = rgb;
  const __m128i wide = Widen(rgb);
  for (int i = 0; i < kColumnCount; ++i) {
    const Window& window = kXAxis.windows[i];
    const auto inner = static_cast<int16_t>(window.last - window.first - 1);
    const __m128i partial = _mm_add_epi16(ShareOf(wide, window.first_weight),
                                          _mm_mullo_epi16(wide, _mm_set1_epi16(inner)));
    const __m128i sum = _mm_add_epi16(partial, ShareOf(wide, window.last_weight));
    entry.partial[i] = static_cast<Sum>(_mm_cvtsi128_si64(partial));
    entry.shrunk[i] = static_cast<Sum>(_mm_cvtsi128_si64(Scaled(sum, kXAxis)));
  }
  return static_cast<int>(palette_.size()) - 1;
}

void CarCells::Split(int row, int column) {
  uint8_t& id = Ids(row)[column];
  uint32_t* const pixels = Pixels(row);
  std::fill(pixels + kColumns.first[column], pixels + kColumns.first[column + 1], palette_[id].rgb);
  id = kMixed;
}

void CarCells::FillPart(int row, int column, int first, int last, int id) {
  const int old = Ids(row)[column];
  if (old == id) return;
  if (old != kMixed) Split(row, column);
  uint32_t* const pixels = Pixels(row);
  std::fill(pixels + first, pixels + last + 1, palette_[id].rgb);
}

void CarCells::SetPixel(int x, int y, Rgb color) {
  const int column = kColumns.of[x];
  if (Ids(y)[column] != kMixed) Split(y, column);
  Pixels(y)[x] = Pack(color);
}

CarCells::CellBrush::CellBrush(CarCells& cells, int id, bool is_panel)
    : cells_(cells),
      id_(id),
      color_(cells.palette_[id].rgb),
      is_panel_(is_panel),
      end_row_(is_panel ? kHeight : kPanelTop) {}

void CarCells::CellBrush::FillRow(int y, int first, int last) {
  const int row = RowOf(y);
  if (row >= end_row_) return;
  int begin = kColumns.of[first], end = kColumns.of[last];  // of the whole columns
  if (first > kColumns.first[begin]) {
    cells_.FillPart(row, begin, first, std::min(last, kColumns.first[begin + 1] - 1), id_);
    ++begin;
  }
  if (last + 1 < kColumns.first[end + 1]) {
    if (end >= begin) cells_.FillPart(row, end, kColumns.first[end], last, id_);
  } else {
    ++end;
  }
  if (end > begin) std::memset(cells_.Ids(row) + begin, id_, end - begin);
}

void CarCells::CellBrush::Blend(int x, int y, int alpha) {
  const int row = RowOf(y);
  if (row >= end_row_) return;
  const int column = kColumns.of[x], old = cells_.Ids(row)[column];
  if (old == id_) return;
  if (old != kMixed) cells_.Split(row, column);
  uint32_t& pixel = cells_.Pixels(row)[x];
  // p + ((c - p) * alpha >> 8) = (p * (256 - alpha) + c * alpha) >> 8, for two numbers at once
  const uint32_t share = alpha, rest = 256 - alpha, kEven = 0xff00ff;
  const uint32_t even = ((pixel & kEven) * rest + (color_ & kEven) * share) >> 8 & kEven;
  const uint32_t odd = ((pixel >> 8 & kEven) * rest + (color_ >> 8 & kEven) * share) & ~kEven;
  pixel = even | odd;
}

void CarCells::Shrink(uint8_t* rgb) {
  uint8_t is_plain[kColumnCount];
  for (int row = 0; row < kRows; ++row) {
    FindPlainCells(row, is_plain);
    const uint8_t* const ids = Ids(kYAxis.windows[row].first);
    for (int i = 0; i < kColumnCount; ++i, rgb += 3) {
      if (!is_plain[i]) {
        ShrinkCell(row, i, rgb);
        continue;
      }
      const Sum shrunk = palette_[ids[i]].shrunk[i];
      for (int k = 0; k < 3; ++k) rgb[k] = kPlainCells.bytes[row][shrunk >> 16 * k & 255];
    }
  }
}

// A cell is plain if all of its pixels have one color. The last pixel of a column's window is the
// first one of the next column.
void CarCells::FindPlainCells(int row, uint8_t* is_plain) {
  const Window& window = kYAxis.windows[row];
  const __m128i mixed = _mm_set1_epi8(static_cast<char>(kMixed));
  for (int i = 0; i < kColumnCount; i += 16) {
    const auto load = [&](int y, int column) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(Ids(y) + column));
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

void CarCells::ShrinkCell(int row, int column, uint8_t* rgb) {
  const Window& y_window = kYAxis.windows[row];
  __m128i sum = ShareOf(ShrunkRow(y_window.first, column), y_window.first_weight);
  for (int y = y_window.first + 1; y < y_window.last; ++y) {
    sum = _mm_add_epi16(sum, ShrunkRow(y, column));
  }
  sum = _mm_add_epi16(sum, ShareOf(ShrunkRow(y_window.last, column), y_window.last_weight));
  const auto bytes = static_cast<Sum>(_mm_cvtsi128_si64(Scaled(sum, kYAxis)));
  for (int k = 0; k < 3; ++k) rgb[k] = static_cast<uint8_t>(bytes >> 16 * k);
}

__m128i CarCells::ShrunkRow(int y, int column) {
  const Window& window = kXAxis.windows[column];
  const int id = Ids(y)[column], next = Ids(y)[column + 1];
  if (id != kMixed && id == next) return Load(palette_[id].shrunk[column]);
  const uint32_t* const pixels = Pixels(y);
  const __m128i last = Widen(next == kMixed ? pixels[window.last] : palette_[next].rgb);
  __m128i sum = ShareOf(last, window.last_weight);
  if (id != kMixed) {
    sum = _mm_add_epi16(sum, Load(palette_[id].partial[column]));
  } else {
    sum = _mm_add_epi16(sum, ShareOf(Widen(pixels[window.first]), window.first_weight));
    sum = _mm_add_epi16(sum, SumOf(pixels + window.first + 1, window.last - window.first - 1));
  }
  return Scaled(sum, kXAxis);
}

}  // namespace parallel_pool::box2d
