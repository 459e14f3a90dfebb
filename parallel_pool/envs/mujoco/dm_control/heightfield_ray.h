// A faster mj_rayHfield.
#pragma once

#include <mujoco/mujoco.h>

namespace parallel_pool::mujoco::dm_control {

// The distance from `point` along `direction` (3 numbers each, in the world) to a heightfield, in
// lengths of `direction`; -1: none. Equals mj_rayHfield(model, data, geom, ...) to the last bit.
// MuJoCo looks at all triangles in a rectangle around the ray, this only at those below or above
// it. The geom must not be rotated.
double RayToHeightfield(const mjModel& model, const mjData& data, int geom, const mjtNum* point,
                        const mjtNum* direction);

}  // namespace parallel_pool::mujoco::dm_control
