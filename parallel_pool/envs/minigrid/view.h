// Which cells of a view are visible: light spreads from the agent's cell row by row.
#pragma once

#include <bit>
#include <cstdint>

namespace parallel_pool::minigrid {

inline constexpr int kLargestView = 31;

// Cells of a row as bits.
using RowBits = uint32_t;

// Lights row after row, from the agent's row (`size` - 1) to row 0. opaque[y] and lit[y] have bit x
// for cell x. In a row, light goes through transparent cells to the right, then to the left; each
// cell that it goes through also lights the cell ahead and the one diagonally ahead. So what lies
// behind a corner can be visible: this is the reference's rule, and no line of sight.
template <int size>
inline void SpreadLight(const RowBits* opaque, RowBits* lit, int dynamic_size) {
  const int n = size > 0 ? size : dynamic_size;
  const RowBits all = (RowBits{1} << n) - 1;
  const RowBits last = RowBits{1} << (n - 1);
  RowBits row = RowBits{1} << (n / 2);
  for (int y = n - 1; y >= 0; --y) {
    const RowBits clear = all & ~opaque[y];
    // Light from a run of transparent cells carries through it as an addition does.
    const RowBits right = clear & ~last;
    row = ((((row & right) + right) ^ right) | row) & all;
    RowBits sources = row & right;
    RowBits ahead = sources | sources << 1;
    // To the left: cell x is lit if x + 1 is lit and transparent, in steps of 1, 2, 4, ... cells.
    RowBits through = (clear & ~RowBits{1}) >> 1;
    for (int step = 1; step < n; step *= 2) {
      row |= through & (row >> step);
      through &= through >> step;
    }
    sources = row & clear & ~RowBits{1};
    ahead |= sources | sources >> 1;
    lit[y] = row;
    row = ahead;
  }
}

}  // namespace parallel_pool::minigrid
