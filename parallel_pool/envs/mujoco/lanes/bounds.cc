#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel_pool/envs/mujoco/lanes/flatten.h"

namespace parallel_pool::mujoco::lanes {
namespace {

constexpr double kSlack = 1e-6;  // of lengths, in m

bool IsBounded(const mjModel& m, int g) {
  const int type = m.geom_type[g];
  return type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER || IsWall(m, g);
}

// The half sizes of a box around a solid or a wall whose axes are the columns of `mat`.
void HalfSizes(const mjModel& m, int g, const double mat[9], double half[3]) {
  const int type = m.geom_type[g];
  if (type == mjGEOM_BOX) {
    for (int i = 0; i < 3; ++i) {
      half[i] = 0;
      for (int k = 0; k < 3; ++k) half[i] += std::abs(mat[3 * i + k]) * m.geom_size[3 * g + k];
    }
    return;
  }
  const double radius = m.geom_size[3 * g];
  const double length = type == mjGEOM_SPHERE ? 0 : m.geom_size[3 * g + 1];
  for (int i = 0; i < 3; ++i) {
    const double x = std::abs(mat[3 * i + 2]);
    const double slope = type == mjGEOM_CYLINDER ? std::sqrt(std::max(0.0, 1 - x * x)) : 1;
    half[i] = radius * slope + length * x;
  }
}

// The radius of a sphere around a solid or a wall.
double Radius(const mjModel& m, int g) {
  const double radius = m.geom_size[3 * g], length = m.geom_size[3 * g + 1];
  switch (m.geom_type[g]) {
    case mjGEOM_SPHERE:
      return radius;
    case mjGEOM_CAPSULE:
      return radius + length;
    case mjGEOM_BOX:
      return std::hypot(radius, length, m.geom_size[3 * g + 2]);
    default:
      return std::hypot(radius, length);
  }
}

bool IsInside(const double center[3], const double half[3], const mjtNum* box) {
  for (int i = 0; i < 3; ++i) {
    if (std::abs(center[i] - box[i]) + half[i] > box[3 + i] + kSlack) return false;
  }
  return true;
}

bool FitsItsOwn(const mjModel& m, int g) {
  constexpr double kZero[3] = {}, kUnit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double half[3];
  HalfSizes(m, g, kUnit, half);
  return IsInside(kZero, half, m.geom_aabb + 6 * g) && Radius(m, g) <= m.geom_rbound[g] + kSlack &&
         m.geom_margin[g] + m.geom_gap[g] <= m.body_margin[m.geom_bodyid[g]];
}

// Whether a geom is inside the box of a node of its body's tree, which is in the inertial frame.
bool FitsNode(const mjModel& m, int g, const mjtNum* box) {
  const int body = m.geom_bodyid[g];
  mjtNum inverse[4], quat[4], matrix[9], offset[3], center[3], half[3];
  mju_negQuat(inverse, m.body_iquat + 4 * body);
  mju_sub3(offset, m.geom_pos + 3 * g, m.body_ipos + 3 * body);
  mju_rotVecQuat(center, offset, inverse);
  mju_mulQuat(quat, inverse, m.geom_quat + 4 * g);
  mju_quat2Mat(matrix, quat);
  HalfSizes(m, g, matrix, half);
  return IsInside(center, half, box);
}

}  // namespace

void CheckBounds(const mjModel& m) {
  const auto check = [](bool fits) {
    if (!fits) throw std::invalid_argument("bounding volumes that do not fit its geoms");
  };
  for (int g = 0; g < m.ngeom; ++g) {
    if (IsBounded(m, g)) check(FitsItsOwn(m, g));
  }
  for (int b = 0; b < m.nbody; ++b) {
    for (int i = m.body_bvhadr[b]; i >= 0 && i < m.body_bvhadr[b] + m.body_bvhnum[b]; ++i) {
      const mjtNum* const box = m.bvh_aabb + 6 * i;
      const int g = m.bvh_nodeid[i];
      if (g >= 0) {
        if (IsBounded(m, g)) check(FitsNode(m, g, box));
        continue;
      }
      for (const int child : {m.bvh_child[2 * i], m.bvh_child[2 * i + 1]}) {
        if (child < 0) continue;
        const mjtNum* const inner = m.bvh_aabb + 6 * (m.body_bvhadr[b] + child);
        check(IsInside(inner, inner + 3, box));
      }
    }
  }
}

}  // namespace parallel_pool::mujoco::lanes
