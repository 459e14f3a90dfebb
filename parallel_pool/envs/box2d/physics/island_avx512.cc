#include "parallel_pool/envs/box2d/physics/island.h"

#if defined(__x86_64__)
namespace parallel_pool::box2d::avx512 {

inline constexpr int kLanes = 16, kGroups = 2;
#include "parallel_pool/envs/box2d/physics/island_lanes.inc"
#include "parallel_pool/envs/box2d/physics/island_solver.inc"

}  // namespace parallel_pool::box2d::avx512
#endif
