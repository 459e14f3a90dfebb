#include "parallel_pool/envs/box2d/physics/island.h"

namespace parallel_pool::box2d::one_lane {

inline constexpr int kLanes = 1, kGroups = 1;
#include "parallel_pool/envs/box2d/physics/island_lanes.inc"
#include "parallel_pool/envs/box2d/physics/island_solver.inc"

}  // namespace parallel_pool::box2d::one_lane
