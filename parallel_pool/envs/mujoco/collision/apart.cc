#include "parallel_pool/envs/mujoco/collision/apart.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallel_pool::mujoco::collision {
namespace {

// By spheres alone, geoms are far enough apart, in m.
constexpr double kFar = 0.05;
// The rounding of a mesh's extent, whose vertices are floats, relative to its size.
constexpr double kFloatRounding = 1e-5;
// A float vector of length 1, made shorter by more than its rounding.
constexpr double kShorter = 1 - 1e-6;

// How exactly a box contains what it is for, in m: far less than libmujoco's nearest contacts that
// count as doubtful (collider.cc).
constexpr double kFit = 1e-11;

double Dot(const mjtNum a[3], const mjtNum b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
// Along the column `k` of a matrix.
double DotColumn(const double n[3], const mjtNum* matrix, int k) {
  return n[0] * matrix[k] + n[1] * matrix[3 + k] + n[2] * matrix[6 + k];
}

// A geom and the box around it, whose axes are those of the geom's frame.
struct Boxed {
  Boxed(const mjModel& m, const mjData& d, int geom)
      : pos(d.geom_xpos + 3 * geom),
        mat(d.geom_xmat + 9 * geom),
        half(m.geom_aabb + 6 * geom + 3),
        radius(m.geom_rbound[geom]) {
    const mjtNum* const offset = m.geom_aabb + 6 * geom;
    for (int i = 0; i < 3; ++i) center[i] = pos[i] + Dot(mat + 3 * i, offset);
  }

  const mjtNum *pos, *mat, *half;
  double radius;
  double center[3];
};

// How far a geom reaches from its position along the unit vector `l` in its own frame.
double Extent(const mjModel& m, int geom, const double l[3]) {
  const mjtNum* const s = m.geom_size + 3 * geom;
  switch (m.geom_type[geom]) {
    case mjGEOM_SPHERE:
      return s[0];
    case mjGEOM_CAPSULE:
      return s[0] + s[1] * std::abs(l[2]);
    case mjGEOM_ELLIPSOID:
      return std::sqrt(s[0] * s[0] * l[0] * l[0] + s[1] * s[1] * l[1] * l[1] +
                       s[2] * s[2] * l[2] * l[2]);
    case mjGEOM_CYLINDER:
      return s[0] * std::sqrt(l[0] * l[0] + l[1] * l[1]) + s[1] * std::abs(l[2]);
    case mjGEOM_BOX:
      return s[0] * std::abs(l[0]) + s[1] * std::abs(l[1]) + s[2] * std::abs(l[2]);
    case mjGEOM_MESH: {
      const int mesh = m.geom_dataid[geom];
      const float* const vertices = m.mesh_vert + 3 * m.mesh_vertadr[mesh];
      const float n[3] = {static_cast<float>(l[0]), static_cast<float>(l[1]),
                          static_cast<float>(l[2])};
      float most = -std::numeric_limits<float>::infinity();
      for (int i = 0; i < 3 * m.mesh_vertnum[mesh]; i += 3) {
        const float* const v = vertices + i;
        most = std::max(most, n[0] * v[0] + n[1] * v[1] + n[2] * v[2]);
      }
      return most + kFloatRounding * m.geom_rbound[geom];
    }
    default:
      return std::numeric_limits<double>::infinity();
  }
}

// How far a geom reaches along n from the origin of the world.
double Support(const mjModel& m, const mjData& d, int geom, const double n[3]) {
  double l[3];
  for (int k = 0; k < 3; ++k) l[k] = DotColumn(n, d.geom_xmat + 9 * geom, k);
  return Dot(n, d.geom_xpos + 3 * geom) + Extent(m, geom, l);
}

double ApartFromPlane(const Boxed& plane, const Boxed& other) {
  const double normal[3] = {plane.mat[2], plane.mat[5], plane.mat[8]};
  double center = 0, pos = 0, half = 0;
  for (int i = 0; i < 3; ++i) {
    center += normal[i] * (other.center[i] - plane.pos[i]);
    pos += normal[i] * (other.pos[i] - plane.pos[i]);
  }
  for (int k = 0; k < 3; ++k) half += std::abs(DotColumn(normal, other.mat, k)) * other.half[k];
  return std::max(center - half, pos - other.radius);
}

// The half sizes of a box whose axes are those of the frame `mat` around a geom's own box.
void TurnedHalf(const mjModel& m, int geom, const mjtNum mat[9], double half[3]) {
  for (int i = 0; i < 3; ++i) {
    half[i] = 0;
    for (int k = 0; k < 3; ++k) half[i] += std::abs(mat[3 * i + k]) * m.geom_aabb[6 * geom + 3 + k];
  }
}

bool IsInside(const double center[3], const double half[3], const mjtNum* box) {
  for (int i = 0; i < 3; ++i) {
    const double room = kFit * std::max(1.0, box[3 + i]);
    if (!(std::abs(center[i] - box[i]) + half[i] <= box[3 + i] + room)) return false;
  }
  return true;
}

// Whether a geom's own box and sphere contain it. A mesh has them from the compiler.
bool FitsItsOwn(const mjModel& m, int geom) {
  const int type = m.geom_type[geom];
  if (type == mjGEOM_PLANE || type == mjGEOM_MESH) return true;
  const mjtNum* const s = m.geom_size + 3 * geom;
  const double zero[3] = {};
  double half[3], radius = 0;
  for (int i = 0; i < 3; ++i) {
    const double axis[3] = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
    half[i] = Extent(m, geom, axis);
  }
  switch (type) {
    case mjGEOM_SPHERE:
      radius = s[0];
      break;
    case mjGEOM_CAPSULE:
      radius = s[0] + s[1];
      break;
    case mjGEOM_CYLINDER:
      radius = std::hypot(s[0], s[1]);
      break;
    case mjGEOM_ELLIPSOID:
      radius = std::max({s[0], s[1], s[2]});
      break;
    case mjGEOM_BOX:
      radius = std::hypot(s[0], s[1], s[2]);
      break;
    default:
      return false;
  }
  return IsInside(zero, half, m.geom_aabb + 6 * geom) &&
         radius <= m.geom_rbound[geom] + kFit * std::max(1.0, radius);
}

// Whether the box of a node of its body's tree, which is in the inertial frame, contains a geom's.
bool FitsNode(const mjModel& m, int geom, const mjtNum* box) {
  const int body = m.geom_bodyid[geom];
  mjtNum inverse[4], quat[4], matrix[9], offset[3], center[3], turned[3];
  mju_negQuat(inverse, m.body_iquat + 4 * body);
  mju_mulQuat(quat, inverse, m.geom_quat + 4 * geom);
  mju_quat2Mat(matrix, quat);
  mju_sub3(offset, m.geom_pos + 3 * geom, m.body_ipos + 3 * body);
  mju_rotVecQuat(center, offset, inverse);
  mju_mulMatVec3(turned, matrix, m.geom_aabb + 6 * geom);
  mju_addTo3(center, turned);
  double half[3];
  TurnedHalf(m, geom, matrix, half);
  return IsInside(center, half, box);
}

bool FitsTree(const mjModel& m, int body) {
  const int first = m.body_bvhadr[body];
  for (int i = first; i >= 0 && i < first + m.body_bvhnum[body]; ++i) {
    const mjtNum* const box = m.bvh_aabb + 6 * i;
    const int geom = m.bvh_nodeid[i];
    if (geom >= 0) {
      if (m.geom_type[geom] != mjGEOM_PLANE && !FitsNode(m, geom, box)) return false;
      continue;
    }
    for (const int child : {m.bvh_child[2 * i], m.bvh_child[2 * i + 1]}) {
      const mjtNum* const inner = m.bvh_aabb + 6 * (first + child);
      if (child >= 0 && !IsInside(inner, inner + 3, box)) return false;
    }
  }
  return true;
}

}  // namespace

bool BoundsFit(const mjModel& m) {
  for (int g = 0; g < m.ngeom; ++g) {
    const double margin = m.geom_margin[g] + m.geom_gap[g];
    if (!FitsItsOwn(m, g) || !(margin <= m.body_margin[m.geom_bodyid[g]])) return false;
  }
  for (int b = 0; b < m.nbody; ++b) {
    if (m.body_geomnum[b] > 1 && !FitsTree(m, b)) return false;
  }
  return true;
}

double ApartByBoxes(const mjModel& m, const mjData& d, int geom1, int geom2) {
  const Boxed a(m, d, geom1), b(m, d, geom2);
  if (m.geom_type[geom1] == mjGEOM_PLANE) return ApartFromPlane(a, b);
  const double v[3] = {b.pos[0] - a.pos[0], b.pos[1] - a.pos[1], b.pos[2] - a.pos[2]};
  double best = std::sqrt(Dot(v, v)) - a.radius - b.radius;
  if (best > kFar) return best;
  double way[3], turn[3][3];  // turn: how each axis of b lies along those of a
  for (int i = 0; i < 3; ++i) {
    way[i] = b.center[i] - a.center[i];
    for (int j = 0; j < 3; ++j) {
      turn[i][j] =
          std::abs(a.mat[i] * b.mat[j] + a.mat[3 + i] * b.mat[3 + j] + a.mat[6 + i] * b.mat[6 + j]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    const double along_a = std::abs(DotColumn(way, a.mat, i));
    const double along_b = std::abs(DotColumn(way, b.mat, i));
    best =
        std::max({best, along_a - a.half[i] - Dot(turn[i], b.half),
                  along_b - b.half[i] -
                      (turn[0][i] * a.half[0] + turn[1][i] * a.half[1] + turn[2][i] * a.half[2])});
  }
  return best;
}

double ApartAlong(const mjModel& m, const mjData& d, int geom1, int geom2, const float axis[3]) {
  const mjtNum* const mat = d.geom_xmat + 9 * geom1;
  double n[3], minus[3];
  for (int k = 0; k < 3; ++k) {
    n[k] = mat[3 * k] * axis[0] + mat[3 * k + 1] * axis[1] + mat[3 * k + 2] * axis[2];
    minus[k] = -n[k];
  }
  return -Support(m, d, geom2, minus) - Support(m, d, geom1, n);
}

bool FindAxis(const mjModel& m, mjData& d, int geom1, int geom2, double least, float axis[3]) {
  constexpr double kFarthest = 1, kShortest = 1e-9;  // m
  mjtNum ends[6];
  if (!(mj_geomDistance(&m, &d, geom1, geom2, kFarthest, ends) > least)) return false;
  const double way[3] = {ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]};
  const double length = std::sqrt(Dot(way, way));
  if (!(length > kShortest)) return false;
  const mjtNum* const mat = d.geom_xmat + 9 * geom1;
  for (int k = 0; k < 3; ++k) {
    axis[k] = static_cast<float>(DotColumn(way, mat, k) / length * kShorter);
  }
  return true;
}

}  // namespace parallel_pool::mujoco::collision
