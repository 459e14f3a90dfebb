// Tic-tac-toe: three in a row win. As PettingZoo 1.27's tictactoe_v3.
#pragma once

#include <array>
#include <span>

#include "parallel_pool/envs/board_games/board.h"
#include "parallel_pool/envs/board_games/pictures.h"

namespace parallel_pool::board_games {

struct TicTacToe {
  using Board = board_games::Board<3, 3, 3>;
  static constexpr int kMoves = 9;  // a move is a cell
  static constexpr std::array kPlayers = {"player_1", "player_2"};
  static constexpr int kFps = 1;
  static constexpr ImageSize kPictureSize = kTicTacToeSize;

  static bool IsLegal(const Board& board, int move) { return board.IsFree(move); }
  // The cell that a legal move fills.
  static int CellOf(const Board&, int move) { return move; }
  static void Draw(std::span<const Stone> stones, View<uint8_t> rgb) { DrawTicTacToe(stones, rgb); }
};

}  // namespace parallel_pool::board_games
