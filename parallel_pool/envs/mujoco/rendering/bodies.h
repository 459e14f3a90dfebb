// The bodies of a model, for viewers.
#pragma once

#include <mujoco/mujoco.h>

#include "parallel_pool/core/bodies.h"

namespace parallel_pool::mujoco {

// Tells the place of each body, and the shapes of its geoms that pictures show. Planes are left
// out, because viewers look from where they see all shapes, and so are height fields.
void TellBodies(const mjModel& model, const mjData& data, bool with_shapes, BodyReceiver& bodies);

}  // namespace parallel_pool::mujoco
