// The floor of a warehouse: corridors, places of shelves, and goals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parallel_pool::rware {

inline constexpr int kMostCells = 10000;  // of a floor

struct Cell {
  int32_t x, y;  // column, row

  bool operator==(const Cell&) const = default;
};

struct Layout {
  int32_t rows = 0, columns = 0;
  std::vector<uint8_t> is_corridor;  // of each cell, row by row
  std::vector<Cell> shelves;         // where they stand at first, row by row
  std::vector<Cell> goals;

  int num_cells() const { return rows * columns; }
  int IndexOf(Cell cell) const { return cell.y * columns + cell.x; }
};

// Blocks of shelves, two wide and `column_height` high, with corridors around them, and two goals
// in the middle of the last row. Throws std::invalid_argument if the floor has too many cells.
Layout BlocksOfShelves(int shelf_columns, int column_height, int shelf_rows);

// The floor of a text: a line for each row, with x for a shelf, g for a goal and . for a corridor;
// spaces do not count. Throws std::invalid_argument if it is not such a text.
Layout FloorOfText(const std::string& text);

}  // namespace parallel_pool::rware
