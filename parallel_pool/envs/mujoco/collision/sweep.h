// The sweep by which mj_collision finds pairs of bodies of which neither is the world. It compares
// floats along axes of its own, so at the edge of a pair's reach it may miss a contact.
#pragma once

#include <mujoco/mujoco.h>

namespace parallel_pool::mujoco::collision {

// The axes of the sweep, for the geoms' places in `d`.
void FindSweepAxes(const mjModel& m, const mjData& d, double axes[9]);

// Whether two geoms overlap along all these axes by more than the rounding of floats: then the
// sweep finds their bodies.
bool OverlapInSweep(const mjModel& m, const mjData& d, const double axes[9], int geom1, int geom2);

}  // namespace parallel_pool::mujoco::collision
