#include "parallel_pool/envs/mujoco/lanes/touch.h"

#include <mujoco/mujoco.h>

namespace parallel_pool::mujoco::lanes {

bool IsFelt(const TouchSensor& sensor, const Real pos[3], const Real mat[9], const double at[3],
            const double normal[3], double force, bool is_second) {
  if (force <= 0) return false;
  double ray[3];
  mju_scl3(ray, normal, force);
  mju_normalize3(ray);
  if (is_second) mju_scl3(ray, ray, -1);
  return mju_rayGeom(Doubles(pos), Doubles(mat), sensor.size, at, ray, sensor.type, nullptr) >= 0;
}

}  // namespace parallel_pool::mujoco::lanes
