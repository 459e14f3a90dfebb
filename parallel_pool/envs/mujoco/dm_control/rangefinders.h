// Distances along the z axes of sites, as sensors of the kind rangefinder measure them. MuJoCo's
// sensors are measured in each step and each Forward; these only when they are observed.
#pragma once

#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/heightfield_ray.h"
#include "parallel_pool/envs/mujoco/dm_control/physics.h"

namespace parallel_pool::mujoco::dm_control {

class Rangefinders {
 public:
  // `n` sites of one body from the site `first` on. They do not see their own body, and all that
  // they see must be visible. `ground` is a heightfield.
  Rangefinders(const Physics& physics, const char* first, int n, const char* ground)
      : first_(physics.FindId(mjOBJ_SITE, first)),
        n_(n),
        ground_(physics.FindId(mjOBJ_GEOM, ground)) {
    const mjModel& model = physics.model();
    for (int i = 0; i < model.ngeom; ++i) {
      if (i == ground_ || model.geom_bodyid[i] == model.site_bodyid[first_]) continue;
      geoms_.push_back(i);
    }
  }

  // Writes n distances in m; -1: nothing.
  void Measure(const Physics& physics, double* distances) const {
    for (int site = first_; site < first_ + n_; ++site) {
      const mjtNum* const axes = physics.data().site_xmat + 9 * site;
      const mjtNum direction[] = {axes[kXZ], axes[kYZ], axes[kZZ]};
      *distances++ = Cast(physics, physics.data().site_xpos + 3 * site, direction);
    }
  }

 private:
  double Cast(const Physics& physics, const mjtNum* point, const mjtNum* direction) const {
    const mjModel& model = physics.model();
    const mjData& data = physics.data();
    double nearest = RayToHeightfield(model, data, ground_, point, direction);
    for (const int i : geoms_) {
      const double distance =
          mju_rayGeom(data.geom_xpos + 3 * i, data.geom_xmat + 9 * i, model.geom_size + 3 * i,
                      point, direction, model.geom_type[i], nullptr);
      if (distance >= 0 && (nearest < 0 || distance < nearest)) nearest = distance;
    }
    return nearest;
  }

  const int first_, n_, ground_;
  std::vector<int> geoms_;  // that the rays can hit, but for the ground
};

}  // namespace parallel_pool::mujoco::dm_control
