// The forces of a fluid at rest: MuJoCo's documentation, "Fluid forces".
#include <algorithm>
#include <cmath>

#include "parallel_pool/envs/mujoco/lanes/flatten.h"

namespace parallel_pool::mujoco::lanes {
namespace {

Real Square(Real x) {
  return x * x;
}

void FindHalfAxes(const mjModel& m, int g, double (&axes)[3]) {
  const mjtNum* const size = m.geom_size + 3 * g;
  const bool is_round = m.geom_type[g] == mjGEOM_SPHERE || m.geom_type[g] == mjGEOM_CAPSULE ||
                        m.geom_type[g] == mjGEOM_CYLINDER;
  axes[0] = size[0];
  axes[1] = is_round ? size[0] : size[1];
  axes[2] = size[2];
  if (m.geom_type[g] == mjGEOM_SPHERE) axes[2] = size[0];
  if (m.geom_type[g] == mjGEOM_CAPSULE) axes[2] = size[1] + size[0];
  if (m.geom_type[g] == mjGEOM_CYLINDER) axes[2] = size[1];
}

void AddEllipsoid(const mjModel& m, int g, StepModel& flat) {
  Refuse(flat.num_ellipsoids == kMaxEllipsoids, "its number of ellipsoids in a fluid");
  const mjtNum* const numbers = m.geom_fluid + mjNFLUID * g;
  const double density = m.opt.density, viscosity = m.opt.viscosity;
  const double blunt = numbers[1], slender = numbers[2], turning = numbers[3];
  double a[3];
  FindHalfAxes(m, g, a);
  const double longest = std::max({a[0], a[1], a[2]}), shortest = std::min({a[0], a[1], a[2]});
  const double middle = a[0] + a[1] + a[2] - longest - shortest;
  const double volume = 4.0 / 3.0 * mjPI * a[0] * a[1] * a[2];
  const double diameter = 2.0 / 3.0 * (a[0] + a[1] + a[2]);  // of a like sphere
  const double most = 8.0 / 15.0 * mjPI * middle * Square(Square(longest));
  EllipsoidDrag& drag = flat.ellipsoids[flat.num_ellipsoids++];
  drag = {.geom = g,
          .scale = numbers[0],
          .density = density,
          .mass = {},
          .inertia = {},
          .side = {},
          .square = mjPI * longest * longest,
          .area = mjPI * longest * middle,
          .moment = {},
          .blunt = blunt,
          .slender = slender,
          .magnus = numbers[5] * density * volume,
          .kutta = numbers[4] * density,
          .linear_viscosity = viscosity * (3.0 * mjPI * diameter),
          .angular_viscosity = viscosity * (mjPI * diameter * diameter * diameter)};
  const double inverse = longest > mjMINVAL ? 1.0 / longest : 0;
  for (int i = 0; i < 3; ++i) {
    const Real one = inverse * a[(i + 1) % 3], other = inverse * a[(i + 2) % 3];
    drag.side[i] = Square(one * other);
    drag.mass[i] = density * numbers[6 + i];
    drag.inertia[i] = density * numbers[9 + i];
    const double across = std::max(a[(i + 1) % 3], a[(i + 2) % 3]);
    const double own = 8.0 / 15.0 * mjPI * a[i] * Square(Square(across));
    drag.moment[i] = turning * own + slender * (most - own);
  }
}

}  // namespace

void AddDrags(const mjModel& m, StepModel& flat) {
  const double density = m.opt.density, viscosity = m.opt.viscosity;
  if (density <= 0 && viscosity <= 0) return;
  for (int b = 0; b < m.nbody; ++b) {
    const double mass = m.body_mass[b], *const inertia = m.body_inertia + 3 * b;
    if (mass < mjMINVAL) continue;
    const int before = flat.num_ellipsoids;
    for (int g = m.body_geomadr[b]; g < m.body_geomadr[b] + m.body_geomnum[b]; ++g) {
      if (m.geom_fluid[mjNFLUID * g] > 0) AddEllipsoid(m, g, flat);
    }
    const auto side = [&](double x) { return std::sqrt(std::max(mjMINVAL, x) / mass * 6.0); };
    const double box[3] = {side(inertia[1] + inertia[2] - inertia[0]),
                           side(inertia[0] + inertia[2] - inertia[1]),
                           side(inertia[0] + inertia[1] - inertia[2])};
    const double diameter = (box[0] + box[1] + box[2]) / 3.0;
    Drag& drag = flat.drags[flat.num_drags++];
    drag = {.body = b,
            .num_ellipsoids = flat.num_ellipsoids - before,
            .spin = -mjPI * diameter * diameter * diameter * viscosity,
            .slide = -3.0 * mjPI * diameter * viscosity,
            .turn = {},
            .push = {}};
    for (int i = 0; i < 3; ++i) {
      const Real p = box[i == 0 ? 1 : 0], q = box[i == 2 ? 1 : 2];
      drag.push[i] = 0.5 * density * p * q;
      drag.turn[i] = density * box[i] * (p * p * p * p + q * q * q * q);
    }
  }
}

}  // namespace parallel_pool::mujoco::lanes
