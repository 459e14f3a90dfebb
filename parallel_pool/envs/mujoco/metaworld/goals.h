// The goals of MetaWorld's benchmarks: 50 for each task.
#pragma once

#include <array>

#include "parallel_pool/core/random_state.h"
#include "parallel_pool/envs/mujoco/metaworld/sawyer.h"

namespace parallel_pool::mujoco::metaworld {

inline constexpr int kGoals = 50;

// A vector places the object and the goal of an episode; a task of 3 numbers leaves the rest 0.
using Vector = std::array<double, 6>;
using Goals = std::array<Vector, kGoals>;

// Draws the goals of a task. The tasks of a benchmark draw from one stream, RandomState(seed), in
// their order there.
Goals DrawGoals(const TaskInfo& task, RandomState& random);

}  // namespace parallel_pool::mujoco::metaworld
