// The forms of an observation of one agent.
#pragma once

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/rware/config.h"
#include "parallel_pool/envs/rware/warehouse.h"

namespace parallel_pool::rware {

inline constexpr int kFeatures = kDirections + 2;  // of an agent, next to an image

// Numbers of an observation that is a vector.
int NumbersOfVector(const Config& config);
// The space of an image: (layers, sight, sight).
Space ImageSpace(const Config& config);

// Writes x, y, 1 for a load, the direction as one of four, 1 for a corridor; then for each cell in
// sight, row by row: 1 for an agent, its direction as one of four, its message, 1 for a shelf, 1
// for a request. Without an agent the direction is UP.
void WriteVector(const Config& config, const Warehouse& warehouse, int agent, float* numbers);

// Writes the layers of the cells in sight.
void WriteImage(const Config& config, const Warehouse& warehouse, int agent, float* numbers);

// Writes the direction as one of four, 1 for a corridor, and 1 for a load.
void WriteFeatures(const Warehouse& warehouse, int agent, float* numbers);

}  // namespace parallel_pool::rware
