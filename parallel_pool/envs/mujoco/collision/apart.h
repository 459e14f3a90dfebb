// Proofs that two geoms are apart: numbers below their distance, in m. They may be negative, and
// then say nothing.
#pragma once

#include <mujoco/mujoco.h>

namespace parallel_pool::mujoco::collision {

// More than the rounding of any proof, in m.
inline constexpr double kSlack = 1e-6;

// Whether the boxes and spheres that the model has around its geoms, and the trees of boxes of its
// bodies, contain what they are for. Then libmujoco drops no contact by them, and the proofs hold.
bool BoundsFit(const mjModel& m);

// A number below the distance of two geoms, of which the first may be a plane: by their spheres,
// and by their boxes along the axes of both.
double ApartByBoxes(const mjModel& m, const mjData& d, int geom1, int geom2);

// A number below the distance of two geoms that are no planes: by their extent along `axis`, which
// goes from the first to the second in the frame of the first and is not longer than 1.
double ApartAlong(const mjModel& m, const mjData& d, int geom1, int geom2, const float axis[3]);

// Finds an axis along which two geoms are apart. False: they are not by more than `least`.
bool FindAxis(const mjModel& m, mjData& d, int geom1, int geom2, double least, float axis[3]);

}  // namespace parallel_pool::mujoco::collision
