// Connect four: stones fall to the lowest free cell of a column, and four in a row win. As
// PettingZoo 1.27's connect_four_v3.
#pragma once

#include <array>
#include <span>

#include "parallel_pool/envs/board_games/board.h"
#include "parallel_pool/envs/board_games/pictures.h"

namespace parallel_pool::board_games {

struct ConnectFour {
  using Board = board_games::Board<6, 7, 4>;
  static constexpr int kMoves = Board::kColumns;  // a move is a column
  static constexpr std::array kPlayers = {"player_0", "player_1"};
  static constexpr int kFps = 2;
  static constexpr ImageSize kPictureSize = kConnectFourSize;

  static bool IsLegal(const Board& board, int move) { return board.IsFree(move); }
  // The cell that a legal move fills.
  static int CellOf(const Board& board, int move) {
    int cell = move + Board::kCells - Board::kColumns;
    while (!board.IsFree(cell)) cell -= Board::kColumns;
    return cell;
  }
  static void Draw(std::span<const Stone> stones, View<uint8_t> rgb) {
    DrawConnectFour(stones, rgb);
  }
};

}  // namespace parallel_pool::board_games
