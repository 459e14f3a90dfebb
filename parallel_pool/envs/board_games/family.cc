// The tasks of PettingZoo 1.27's classic package.
#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/board_games/connect_four.h"
#include "parallel_pool/envs/board_games/game.h"
#include "parallel_pool/envs/board_games/tic_tac_toe.h"

namespace parallel_pool::board_games {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Game<ConnectFour>>("ConnectFour-v0", {});
  registry.Add<Game<TicTacToe>>("TicTacToe-v0", {});
}

}  // namespace parallel_pool::board_games
