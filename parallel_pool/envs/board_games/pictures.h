// Pictures of the games.
#pragma once

#include <cstdint>
#include <span>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/board_games/board.h"

namespace parallel_pool::board_games {

inline constexpr ImageSize kTicTacToeSize = {.height = 300, .width = 300};
inline constexpr ImageSize kConnectFourSize = {.height = 480, .width = 560};

// Crosses for the first player, circles for the second. `stones` are the 9 cells.
void DrawTicTacToe(std::span<const Stone> stones, View<uint8_t> rgb);

// Red discs for the first player, black ones for the second. `stones` are the 42 cells.
void DrawConnectFour(std::span<const Stone> stones, View<uint8_t> rgb);

}  // namespace parallel_pool::board_games
