// A board with the stones of two players, and the lines on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace parallel_pool::board_games {

enum class Stone : int8_t { kNone, kFirst, kSecond };

// Cells are numbered row by row, from the top. A line is `kLine` stones of one player in a row, a
// column or a diagonal.
template <int kRows_, int kColumns_, int kLine>
class Board {
 public:
  static constexpr int kRows = kRows_, kColumns = kColumns_, kCells = kRows * kColumns;

  void Clear() { stones_.fill(Stone::kNone); }
  void Put(int cell, Stone stone) { stones_[cell] = stone; }
  Stone operator[](int cell) const { return stones_[cell]; }
  bool IsFree(int cell) const { return stones_[cell] == Stone::kNone; }
  std::span<const Stone> stones() const { return stones_; }
  bool IsFull() const { return std::ranges::find(stones_, Stone::kNone) == stones_.end(); }

  // Whether the stone of `cell` is part of a line.
  bool HasLine(int cell) const {
    static constexpr int kDirections[][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    return std::ranges::any_of(kDirections, [&](const auto& d) {
      return 1 + Count(cell, d[0], d[1]) + Count(cell, -d[0], -d[1]) >= kLine;
    });
  }

 private:
  // The number of stones that follow `cell` in one direction and equal its stone.
  int Count(int cell, int down, int right) const {
    int row = cell / kColumns + down, column = cell % kColumns + right, count = 0;
    while (row >= 0 && row < kRows && column >= 0 && column < kColumns &&
           stones_[row * kColumns + column] == stones_[cell]) {
      ++count;
      row += down;
      column += right;
    }
    return count;
  }

  std::array<Stone, kCells> stones_ = {};
};

}  // namespace parallel_pool::board_games
