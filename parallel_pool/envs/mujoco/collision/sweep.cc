#include "parallel_pool/envs/mujoco/collision/sweep.h"

#include <algorithm>
#include <cmath>

#include "parallel_pool/envs/mujoco/collision/library.h"

namespace parallel_pool::mujoco::collision {
namespace {

// More than the rounding of floats, relative to lengths above 1 m.
constexpr double kRounding = 5e-7;
constexpr double kTolerance = 1e-3;  // of libmujoco's axes

struct Interval { double low, high; };

// A geom along an axis, with its margin: within its box, and within its sphere.
Interval Along(const mjModel& m, const mjData& d, int geom, const double axis[3]) {
  const mjtNum *x = d.geom_xpos + 3 * geom, *mat = d.geom_xmat + 9 * geom;
  const mjtNum* const box = m.geom_aabb + 6 * geom;
  double pos = 0, center = 0, half = 0;
  for (int k = 0; k < 3; ++k) {
    pos += axis[k] * x[k];
    center += axis[k] *
              (x[k] + (mat[3 * k] * box[0] + mat[3 * k + 1] * box[1] + mat[3 * k + 2] * box[2]));
    half += std::abs(axis[0] * mat[k] + axis[1] * mat[3 + k] + axis[2] * mat[6 + k]) * box[3 + k];
  }
  const double margin = m.geom_margin[geom] + m.geom_gap[geom], radius = m.geom_rbound[geom];
  return {std::max(center - half, pos - radius) - margin,
          std::min(center + half, pos + radius) + margin};
}

}  // namespace

void FindSweepAxes(const mjModel& m, const mjData& d, double axes[9]) {
  double center[3] = {}, covariance[9] = {};
  int n = 0;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_bodyid[g] == 0) continue;
    for (int k = 0; k < 3; ++k) center[k] += d.geom_xpos[3 * g + k];
    ++n;
  }
  for (double& x : center) x *= 1.0 / n;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_bodyid[g] == 0) continue;
    double v[3];
    for (int k = 0; k < 3; ++k) v[k] = d.geom_xpos[3 * g + k] - center[k];
    for (int k = 0; k < 9; ++k) covariance[k] += v[k / 3] * v[k % 3];
  }
  for (double& x : covariance) x *= 1.0 / n;
  mjtNum values[3], quat[4];
  mju_eig3Tol(values, axes, quat, covariance, kTolerance);
}

bool OverlapInSweep(const mjModel& m, const mjData& d, const double axes[9], int geom1, int geom2) {
  for (int a = 0; a < 6; ++a) {  // rows, then columns
    const int first = a < 3 ? 3 * a : a - 3, stride = a < 3 ? 1 : 3;
    const double axis[3] = {axes[first], axes[first + stride], axes[first + 2 * stride]};
    const Interval x = Along(m, d, geom1, axis), y = Along(m, d, geom2, axis);
    const double scale =
        std::max({1.0, std::abs(x.low), std::abs(x.high), std::abs(y.low), std::abs(y.high)});
    if (std::min(x.high - y.low, y.high - x.low) < kRounding * scale) return false;
  }
  return true;
}

}  // namespace parallel_pool::mujoco::collision
