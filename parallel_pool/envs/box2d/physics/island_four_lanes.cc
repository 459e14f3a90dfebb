#include "parallel_pool/envs/box2d/physics/island.h"

// With the registers that every processor has: SSE2's of x86-64, NEON's of 64-bit ARM.
namespace parallel_pool::box2d::four_lanes {

inline constexpr int kLanes = 4, kGroups = 2;
#include "parallel_pool/envs/box2d/physics/island_lanes.inc"
#include "parallel_pool/envs/box2d/physics/island_solver.inc"

}  // namespace parallel_pool::box2d::four_lanes
