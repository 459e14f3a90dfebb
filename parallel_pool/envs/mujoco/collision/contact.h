// A contact of two geoms: its parameters and its frame, as libmujoco makes them.
#pragma once

#include <mujoco/mujoco.h>

#include "parallel_pool/envs/mujoco/collision/pairs.h"

namespace parallel_pool::mujoco::collision {

// The weight of the first geom's parameters in a contact.
double Mix(double solmix1, double solmix2);

// A contact of `pair`, with all but its distance, position and frame.
mjContact BeginContact(const mjModel& m, const Pair& pair);

// Completes a contact's frame, of which the normal, and perhaps the first tangent, is given.
void CompleteFrame(mjtNum frame[9]);

}  // namespace parallel_pool::mujoco::collision
