// Cameras.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <string>

#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco {

using Point3 = std::array<mjtNum, 3>;  // x, y and z, in m

// The look of a task's pictures, apart from options.
struct PictureStyle {
  const char* camera = nullptr;  // the model's camera of this name; nullptr: the free one
  // The view of the free camera, as in Gymnasium's DEFAULT_CAMERA_CONFIG.
  mjtNum distance = 0;     // distance from the point it looks at, in m; 0: by the model's size
  mjtNum azimuth = 90;     // in degrees
  mjtNum elevation = -45;  // in degrees; below 0: from above
  bool is_fixed = false;   // looks at `place`, not at the middle of the model
  mjtNum place[3] = {};
  bool is_models = false;  // the view of mjv_defaultFreeCamera, in place of all this

  int width = 480, height = 480;   // the default size of pictures for people, in pixels
  bool shows_rangefinders = true;  // draws the rays of such sensors
};

// The view from `distance` (m), slightly from above, on the point `z` (m) above the origin.
constexpr PictureStyle AboveOrigin(mjtNum z, mjtNum distance, mjtNum elevation = -20) {
  return {.distance = distance, .elevation = elevation, .is_fixed = true, .place = {0, 0, z}};
}

// The median of the positions of all geoms, by coordinate: numpy.median(geom_xpos, 0).
Point3 Middle(const Simulation& world);

inline constexpr int kFreeCamera = -1;

// The number of the camera of the options: `id`, or that of `name` if it is not empty. Throws
// std::invalid_argument if the model has no such camera, or if both are given.
int FindCamera(const mjModel& model, int id, const std::string& name);

}  // namespace parallel_pool::mujoco
