// Touch sensors.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/narrow_phase.h"

namespace parallel_pool::mujoco::lanes {

// A touch sensor: the normal forces of a body's contacts in the zone of a site.
struct TouchSensor {
  int address;     // in sensordata
  int site, type;  // the zone's mjtGeom
  double size[3];
};

// Whether a contact at `at` is in the zone of a touch sensor whose site is at `pos`. `is_second`:
// the sensor is on the body of the pair's second geom.
bool IsFelt(const TouchSensor& sensor, const Real pos[3], const Real mat[9], const double at[3],
            const double normal[3], double force, bool is_second);

}  // namespace parallel_pool::mujoco::lanes
