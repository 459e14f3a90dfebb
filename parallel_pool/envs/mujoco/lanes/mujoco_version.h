// The MuJoCo whose numbers the steps have. Version 4 sums some of them in another order, and has
// another Runge-Kutta method for free joints.
#pragma once

#include <mujoco/mujoco.h>

namespace parallel_pool::mujoco::lanes {

inline constexpr bool kIsMujoco4 = mjVERSION_HEADER >= 4000000;

}  // namespace parallel_pool::mujoco::lanes
