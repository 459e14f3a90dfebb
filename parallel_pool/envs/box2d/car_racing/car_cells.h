// The window of CarRacing, in a form that shrinks quickly to the observation.
//
// Each row of the window is cut into the columns of the observation: 10 or 11 pixels. Most columns
// have one color. Such a column is one byte, and its share of the observation is in a table. Only
// the other columns, those at edges, have pixels.
//
//   row of the window     |grass   |grass   |p p p p |road    |road    |...
//   ids                    1        1        kMixed   2        2
//
// The shrunk bytes equal those of drawing::pygame::SmoothScale. An object takes 4 MB, so a thread
// has one for all of its envs.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "parallel_pool/drawing/pygame/gfxdraw.h"
#include "parallel_pool/drawing/pygame/shapes.h"
#include "parallel_pool/drawing/sse2.h"
#include "parallel_pool/envs/box2d/car_racing/car_picture.h"

namespace parallel_pool::box2d {

// Where a pixel of a row is. Column 96 has only pixel 999, in which the last column of the
// observation ends. Pixel 1000 is in column 97.
struct CellPlace {
  uint8_t column, index;  // the index is inside of the column
};
inline constexpr auto kCellPlaces = [] {
  constexpr int kWidth = 1000, kSpace = 16384 * kWidth / 96;  // of a column, in 1/16384 of a pixel
  std::array<CellPlace, kWidth + 1> places{};
  for (int x = 0, column = 0, first = 0; x <= kWidth; ++x) {
    if (x == kWidth || x == (column + 1) * kSpace / 16384) {
      ++column;
      first = x;
    }
    places[x] = {static_cast<uint8_t>(column), static_cast<uint8_t>(x - first)};
  }
  return places;
}();

// The memory of the cells, as pointers that may be copied. Rows are counted from above.
class CellMemory {
 public:
  static constexpr int kWidth = 1000, kHeight = 800, kColumns = 96;
  static constexpr uint8_t kMixed = 255;
  static constexpr int kRowIds = 128;     // of which one more than kColumns is used
  static constexpr int kCellPixels = 12;  // of a column in one row; 10 or 11 are used

  uint8_t* Ids(int row) const { return ids + row * kRowIds; }
  // The pixels of a column in one row. Rows of a column lie next to each other, as edges do.
  uint32_t* Pixels(int row, int column) const {
    return pixels + (column * kHeight + row) * kCellPixels;
  }
  // A pixel, after its column has got pixels.
  uint32_t* PixelAt(int row, CellPlace place) const;
  // Fills pixels `first` to `last` of a row.
  void FillRow(int row, int first, int last, uint8_t id) const;

  uint8_t* ids;            // of each row: the color of each column, or kMixed
  uint32_t* pixels;        // red is the first byte, the fourth is 0
  const uint32_t* colors;  // of each id

 private:
  // Fills columns `begin` up to, not including, `end`.
  static void FillColumns(uint8_t* ids, int begin, int end, uint8_t id);
  // Fills pixels `begin` up to, not including, `end` of a column.
  void FillPart(int row, int column, int begin, int end, uint8_t id) const;
};

// A drawing::pygame::Brush.
class CellBrush {
 public:
  static constexpr int kPanelTop = 700;  // the panel covers the rows from here on

  // Rows count from above for the panel and from below for the rest, which the panel covers.
  CellBrush(const CellMemory& memory, uint8_t id, bool is_panel)
      : memory_(memory),
        color_(memory.colors[id]),
        id_(id),
        first_row_(is_panel ? 0 : CellMemory::kHeight - 1),
        direction_(is_panel ? 1 : -1),
        end_row_(is_panel ? CellMemory::kHeight : kPanelTop) {}

  ImageSize size() const { return kCarWindow; }

  void FillRow(int y, int first, int last) {
    const int row = first_row_ + direction_ * y;
    if (row < end_row_) memory_.FillRow(row, first, last, id_);
  }
  void Blend(int x, int y, int alpha);

 private:
  const CellMemory memory_;
  const uint32_t color_;
  const uint8_t id_;
  const int first_row_, direction_;
  const int end_row_;  // rows from here on are hidden
};

class CarCells {
 public:
  static constexpr int kColumns = CellMemory::kColumns, kRows = 96;

  CarCells();

  void Clear();  // to black

  // Targets of CarPainter.
  CellBrush brush(Rgb color) { return {memory_, IdOf(color), false}; }
  CellBrush panel_brush(Rgb color) { return {memory_, IdOf(color), true}; }
  void DrawSmoothPolygon(Rgb color, std::span<const drawing::pygame::Pixel> corners);
  // Fills pixels of row y, counted from above, with levels of gray.
  void SetRow(int x, int y, std::span<const uint8_t> levels);

  // Writes the observation, 96 * 96 * 3 bytes.
  void Shrink(uint8_t* rgb) const;

 private:
  // Four 16-bit numbers: red, green, blue and 0.
  using Sum = uint64_t;

  // The sums that columns of one color add to the observation.
  struct ColorSums {
    std::array<Sum, kColumns> partial;  // without the last pixel, in which the next column begins
    std::array<Sum, kColumns> whole;
    std::array<Sum, kColumns> shrunk;  // the bytes of the whole column
  };

  uint8_t IdOf(Rgb color);
  void FindPlainCells(int row, uint8_t* is_plain) const;
  // The bytes of a cell of the observation in 16 bits each.
  Sum ShrinkCell(int row, int column) const;
  // The pixels of the window that a column covers in row y, before the division.
  __m128i SumOfRow(int y, int column) const;
  // The same of rows y and y + 1, as eight numbers.
  __m128i SumOfRows(int y, int column) const;
  uint32_t FirstPixel(int y, int column) const {
    const uint8_t id = memory_.Ids(y)[column];
    return id == CellMemory::kMixed ? memory_.Pixels(y, column)[0] : colors_[id];
  }

  std::vector<uint8_t> ids_;
  std::unique_ptr<uint32_t[]> pixels_;
  std::array<uint32_t, 256> colors_;
  const CellMemory memory_;
  std::array<drawing::pygame::gfxdraw::RowSpan, CellMemory::kHeight> spans_;
  std::vector<ColorSums> sums_;  // of each id
};

inline uint32_t* CellMemory::PixelAt(int row, CellPlace place) const {
  uint8_t& id = Ids(row)[place.column];
  uint32_t* const cell = Pixels(row, place.column);
  if (id != kMixed) {
    const __m128i color = _mm_set1_epi32(static_cast<int>(colors[id]));
    auto* const four = reinterpret_cast<__m128i*>(cell);
    _mm_storeu_si128(four, color);
    _mm_storeu_si128(four + 1, color);
    _mm_storeu_si128(four + 2, color);
    id = kMixed;
  }
  return cell + place.index;
}

inline void CellMemory::FillColumns(uint8_t* ids, int begin, int end, uint8_t id) {
  const int count = end - begin;
  ids += begin;
  // Stores of 16 or 4 bytes may overlap: fewer branches than bytes one by one.
  if (count >= 16) {
    const __m128i many = _mm_set1_epi8(static_cast<char>(id));
    for (int i = 0; i < count - 16; i += 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(ids + i), many);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(ids + count - 16), many);
  } else if (count >= 4) {
    const uint32_t four = id * 0x01010101u;
    for (int i = 0; i < count - 4; i += 4) std::memcpy(ids + i, &four, 4);
    std::memcpy(ids + count - 4, &four, 4);
  } else if (count > 0) {
    ids[0] = ids[count / 2] = ids[count - 1] = id;
  }
}

inline void CellMemory::FillPart(int row, int column, int begin, int end, uint8_t id) const {
  // Zeros, 12 ones and zeros: a part of it is the mask of any pixels.
  static constexpr auto kOnes = [] {
    std::array<uint32_t, 4 * kCellPixels> mask{};
    for (int i = kCellPixels; i < 2 * kCellPixels; ++i) mask[i] = 0xffffffff;
    return mask;
  }();
  uint8_t& old = Ids(row)[column];
  if (old == id) return;
  auto* const cell = reinterpret_cast<__m128i*>(Pixels(row, column));
  if (old != kMixed) PixelAt(row, {static_cast<uint8_t>(column), 0});
  const __m128i color = _mm_set1_epi32(static_cast<int>(colors[id]));
  const auto* const from = reinterpret_cast<const __m128i*>(kOnes.data() + kCellPixels - begin);
  const auto* const until = reinterpret_cast<const __m128i*>(kOnes.data() + kCellPixels - end);
  const auto fill = [&](int i) {
    const __m128i mask = _mm_andnot_si128(_mm_loadu_si128(until + i), _mm_loadu_si128(from + i));
    const __m128i before = _mm_andnot_si128(mask, _mm_loadu_si128(cell + i));
    _mm_storeu_si128(cell + i, _mm_or_si128(_mm_and_si128(mask, color), before));
  };
  fill(0);
  fill(1);
  fill(2);
}

inline void CellMemory::FillRow(int row, int first, int last, uint8_t id) const {
  const CellPlace begin = kCellPlaces[first], end = kCellPlaces[last + 1];
  if (begin.column == end.column) {
    return FillPart(row, begin.column, begin.index, end.index, id);
  }
  if (begin.index > 0) FillPart(row, begin.column, begin.index, kCellPixels, id);
  if (end.index > 0) FillPart(row, end.column, 0, end.index, id);
  FillColumns(Ids(row), begin.column + (begin.index > 0), end.column, id);
}

inline void CellBrush::Blend(int x, int y, int alpha) {
  const int row = first_row_ + direction_ * y;
  if (row >= end_row_) return;
  const CellPlace place = kCellPlaces[x];
  if (memory_.Ids(row)[place.column] == id_) return;
  uint32_t& pixel = *memory_.PixelAt(row, place);
  // p + ((c - p) * alpha >> 8) = (p * (256 - alpha) + c * alpha) >> 8, for two numbers at once
  const uint32_t share = alpha, rest = 256 - alpha, kEven = 0xff00ff;
  const uint32_t even = ((pixel & kEven) * rest + (color_ & kEven) * share) >> 8 & kEven;
  const uint32_t odd = ((pixel >> 8 & kEven) * rest + (color_ >> 8 & kEven) * share) & ~kEven;
  pixel = even | odd;
}

}  // namespace parallel_pool::box2d
