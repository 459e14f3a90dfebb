// The two forms of an observation of one player.
#pragma once

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/foraging/config.h"
#include "parallel_pool/envs/foraging/field.h"

namespace parallel_pool::foraging {

inline constexpr int kLayers = 3;  // of a grid: levels of players, levels of foods, free cells

// The space of one player's observation.
Space ObservationSpace(const Config& config);

// Writes row, column and level of each food in sight, then those of the player, then those of other
// players in sight; -1, -1, 0 for the rest. Rows and columns are relative to the first cell in
// sight.
void WriteVector(const Config& config, const Field& field, int player, float* numbers);

// Writes the layers of the cells around the player: (kLayers, 1 + 2 * sight, 1 + 2 * sight).
void WriteGrid(const Config& config, const Field& field, int player, float* numbers);

}  // namespace parallel_pool::foraging
