// Cameras: from where a model is drawn.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <string>

#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco {

using Point3 = std::array<mjtNum, 3>;  // x, y and z, in m

// How the free camera looks at a task's models, as Gymnasium's DEFAULT_CAMERA_CONFIG has it.
struct FreeView {
  mjtNum distance = 0;     // from what it looks at, in m; 0: the size of the model
  mjtNum elevation = -45;  // in degrees; below 0: from above
  bool is_fixed = false;   // looks at `place`, not at the middle of the model
  mjtNum place[3] = {};
};

// From `distance`, a little from above, at the point `z` over the origin, in m.
constexpr FreeView AboveOrigin(mjtNum z, mjtNum distance, mjtNum elevation = -20) {
  return {.distance = distance, .elevation = elevation, .is_fixed = true, .place = {0, 0, z}};
}

// The median of the places of all geoms, coordinate for coordinate: numpy.median(geom_xpos, 0).
Point3 Middle(const Simulation& world);

inline constexpr int kFreeCamera = -1;

// The number of the camera that the options choose: `id`, or else `name` if that is not empty.
// std::invalid_argument if the model has no such camera, or if both say something.
int FindCamera(const mjModel& model, int id, const std::string& name);

}  // namespace parallel_pool::mujoco
