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

#include <emmintrin.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "parallel_pool/drawing/pygame/shapes.h"
#include "parallel_pool/envs/box2d/car_picture.h"

namespace parallel_pool::box2d {

class CarCells {
 public:
  static constexpr int kWidth = 1000, kHeight = 800, kColumnCount = 96, kRows = 96;
  static constexpr int kPanelTop = 700;  // the panel covers the rows below

  class CellBrush {
   public:
    CellBrush(CarCells& cells, int id, bool is_panel);

    ImageSize size() const { return kCarWindow; }
    void FillRow(int y, int first, int last);
    void Blend(int x, int y, int alpha);

   private:
    int RowOf(int y) const { return is_panel_ ? y : kHeight - 1 - y; }

    CarCells& cells_;
    const int id_;
    const uint32_t color_;
    const bool is_panel_;
    const int end_row_;  // rows from here on are hidden
  };

  CarCells();

  void Clear();  // to black

  // Targets of CarPainter.
  CellBrush brush(Rgb color) { return {*this, IdOf(color), false}; }
  CellBrush panel_brush(Rgb color) { return {*this, IdOf(color), true}; }
  void SetPixel(int x, int y, Rgb color);

  // Writes the observation, 96 * 96 * 3 bytes.
  void Shrink(uint8_t* rgb);

 private:
  // Four 16-bit numbers: red, green, blue and 0.
  using Sum = uint64_t;

  // A color and what columns of it add to the observation.
  struct Color {
    uint32_t rgb;
    std::array<Sum, kColumnCount> shrunk;   // the whole column
    std::array<Sum, kColumnCount> partial;  // the column's sum without its last pixel
  };

  static constexpr uint8_t kMixed = 255;
  // A column more than the observation has: the last one ends inside of pixel 999. The rest of a
  // row is never read as a color.
  static constexpr int kRowIds = 128;

  int IdOf(Rgb color);
  uint8_t* Ids(int row) { return ids_.data() + row * kRowIds; }
  uint32_t* Pixels(int row) { return pixels_.get() + row * kRowPixels; }
  void FillPart(int row, int column, int first, int last, int id);
  // Gives a column pixels.
  void Split(int row, int column);
  void FindPlainCells(int row, uint8_t* is_plain);
  void ShrinkCell(int row, int column, uint8_t* rgb);
  // The column of one row of the window as the observation's color, in 16 bits each.
  __m128i ShrunkRow(int y, int column);

  static constexpr int kRowPixels = 1008;
  std::vector<uint8_t> ids_;  // of each row: the color of each column, or kMixed
  std::unique_ptr<uint32_t[]> pixels_;
  std::vector<Color> palette_;
};

}  // namespace parallel_pool::box2d
