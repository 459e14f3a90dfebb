// The engine's screen as a picture for people.
#pragma once

#include <cstdint>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/vizdoom/game.h"

namespace parallel_pool::vizdoom {

// Writes the screen as it is now: rows, columns, RGB, of the size SizeOf(scenario). All zeros
// before the first episode. `scenario` is that of `game`.
void DrawScreen(const Game& game, const Scenario& scenario, View<uint8_t> rgb);

}  // namespace parallel_pool::vizdoom
