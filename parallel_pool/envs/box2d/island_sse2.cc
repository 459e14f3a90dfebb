#include "parallel_pool/envs/box2d/island.h"

namespace parallel_pool::box2d::sse2 {

inline constexpr int kLanes = 4, kGroups = 2;
#include "parallel_pool/envs/box2d/island_lanes.inc"
#include "parallel_pool/envs/box2d/island_solver.inc"

}  // namespace parallel_pool::box2d::sse2
