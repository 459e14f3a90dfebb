// The env of both games: turns, observations and rewards, as PettingZoo 1.27's `env()`. The rules
// of a game are a struct such as TicTacToe.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/board_games/board.h"

namespace parallel_pool::board_games {

// The player to move is there, and both players are when the game is over.
template <class Rules>
class Game {
 public:
  using Board = typename Rules::Board;
  struct Action { View<const int32_t> move; };
  struct State {
    View<int8_t> stones;  // (rows, columns, 2): the player's own, then the opponent's
    View<int8_t> mask;    // 1 for each legal move
    View<int8_t> legal;   // the same, where learners look for it
    View<int32_t> agent;  // 0: the player who begins
    View<float> reward;   // 1: won, -1: lost or an illegal move
  };

  static EnvSpec<Action, State> Describe(const NoConfig&) {
    const Space stones = Box({Board::kRows, Board::kColumns, 2}, {0}, {1});
    return {.action = {Array<&Action::move>("action", PerPlayer(2, Discrete(Rules::kMoves)))},
            .state = {Array<&State::stones>("obs:observation", PerPlayer(2, stones)),
                      Array<&State::mask>("obs:action_mask",
                                          PerPlayer(2, Box({Rules::kMoves}, {0}, {1}))),
                      Array<&State::legal>("info:action_mask",
                                           PerPlayer(2, Box({Rules::kMoves}, {0}, {1}))),
                      Array<&State::agent>("info:players.agent", PerPlayer(2, Discrete(2))),
                      Array<&State::reward>("reward", PerPlayer(2, Box({}, {-1}, {1})))},
            .players = {{Rules::kPlayers[0], "player"}, {Rules::kPlayers[1], "player"}}};
  }

  static bool IsDeterministic(const NoConfig&) { return true; }

  Game(const NoConfig&, Rng&) {}

  void Reset() {
    board_.Clear();
    mover_ = 0;
    over_ = false;
    rewards_ = {};
  }

  Outcome Step(const Action& action) {
    const int move = action.move[0];
    if (!Rules::IsLegal(board_, move)) {
      rewards_[mover_] = -1.0f;
      over_ = true;
      return {.terminated = true, .truncated = true};  // both, as TerminateIllegalWrapper does
    }
    const int cell = Rules::CellOf(board_, move);
    board_.Put(cell, StoneOf(mover_));
    const bool won = board_.HasLine(cell);
    if (won) {
      rewards_[mover_] = 1.0f;
      rewards_[1 - mover_] = -1.0f;
    }
    over_ = won || board_.IsFull();
    mover_ = 1 - mover_;
    return {.terminated = over_};
  }

  int NumPlayers() const { return over_ ? 2 : 1; }

  void Observe(const State& state) const {
    for (int row = 0; row < NumPlayers(); ++row) {
      const int player = over_ ? row : mover_;
      int8_t* stones = state.stones.data + row * 2 * Board::kCells;
      for (int cell = 0; cell < Board::kCells; ++cell) {
        *stones++ = board_[cell] == StoneOf(player);
        *stones++ = board_[cell] == StoneOf(1 - player);
      }
      int8_t* const mask = state.mask.data + row * Rules::kMoves;
      for (int move = 0; move < Rules::kMoves; ++move) mask[move] = Rules::IsLegal(board_, move);
      std::copy_n(mask, Rules::kMoves, state.legal.data + row * Rules::kMoves);
      state.agent[row] = player;
      state.reward[row] = rewards_[player];
    }
  }

  auto Saved() { return std::tie(board_, mover_, over_, rewards_); }

  static constexpr bool kTurnBased = true;
  static ImageSize RenderSize(const NoConfig&) { return Rules::kPictureSize; }
  static int RenderFps(const NoConfig&) { return Rules::kFps; }
  void Render(View<uint8_t> rgb) const { Rules::Draw(board_.stones(), rgb); }
  std::string RenderText() const {
    static constexpr char kLetters[] = {'.', 'X', 'O'};
    std::string text;
    for (int cell = 0; cell < Board::kCells; ++cell) {
      text += kLetters[static_cast<int>(board_[cell])];
      text += (cell + 1) % Board::kColumns == 0 ? '\n' : ' ';
    }
    return text;
  }

 private:
  static Stone StoneOf(int player) { return player == 0 ? Stone::kFirst : Stone::kSecond; }

  Board board_;
  int32_t mover_ = 0;  // the player to move
  bool over_ = false;
  std::array<float, 2> rewards_ = {};  // of each player
};

}  // namespace parallel_pool::board_games
