// Contacts: the distances of all pairs in lanes, and the contacts themselves for the envs that have
// them. mj_collision.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/narrow_phase.h"
#include "parallel_pool/envs/mujoco/lanes/world.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
inline void Get(const Vec3<V>& v, int lane, Real out[3]) {
  out[0] = At(v.x, lane);
  out[1] = At(v.y, lane);
  out[2] = At(v.z, lane);
}
// The z axis of a frame.
template <class V>
inline Vec3<V> AxisOf(const Mat3<V>& r) {
  return {r.a[2], r.a[5], r.a[8]};
}

template <class V>
inline void CollidePlane(const StepModel& m, const World<V>& w, int i, Contacts* contacts) {
  const GeomPair& pair = m.pairs[i];
  const Geom& solid = m.geoms[pair.geom2];
  const Vec3<V> normal = AxisOf(w.geom_xmat[pair.geom1]), origin = w.geom_xpos[pair.geom1];
  const Vec3<V> center = w.geom_xpos[pair.geom2];
  const unsigned near = Bits<V>(!(Dot(center - origin, normal) > pair.reach + solid.bound));
  if (near == 0) return;
  const Vec3<V> axis = AxisOf(w.geom_xmat[pair.geom2]);
  if (solid.type == mjGEOM_CYLINDER) {
    const V* const r = w.geom_xmat[pair.geom2].a;
    ForEachLane(near, [&](int k) {
      Real n[3], o[3];
      Cylinder cylinder = {.pos = {},
                           .axis = {},
                           .side = {At(r[0], k), At(r[3], k), At(r[6], k)},
                           .radius = solid.size[0],
                           .half_length = solid.size[1]};
      Get(normal, k, n);
      Get(origin, k, o);
      Get(center, k, cylinder.pos);
      Get(axis, k, cylinder.axis);
      TouchPlane(i, n, o, cylinder, pair.reach, contacts[k]);
    });
    return;
  }
  const bool is_capsule = solid.type == mjGEOM_CAPSULE;
  for (int end = 0; end < (is_capsule ? 2 : 1); ++end) {
    Vec3<V> place = center;
    if (is_capsule)
      place = end == 0 ? center + axis * solid.size[1] : center - axis * solid.size[1];
    const V distance = Dot(place - origin, normal);
    const unsigned touches = near & Bits<V>(!(distance > pair.reach + solid.size[0]));
    ForEachLane(touches, [&](int k) {
      Real n[3], p[3], a[3];
      Get(normal, k, n);
      Get(place, k, p);
      Get(axis, k, a);
      TouchPlane(i, n, p, At(distance, k), solid.size[0], is_capsule ? a : nullptr, contacts[k]);
    });
  }
}

template <class V>
inline Solid SolidOf(const StepModel& m, const World<V>& w, int g, int lane) {
  const Geom& geom = m.geoms[g];
  const bool is_capsule = geom.type == mjGEOM_CAPSULE;
  Solid solid = {.pos = {},
                 .axis = {},
                 .radius = geom.size[0],
                 .half_length = is_capsule ? geom.size[1] : 0,
                 .is_capsule = is_capsule};
  Get(w.geom_xpos[g], lane, solid.pos);
  Get(AxisOf(w.geom_xmat[g]), lane, solid.axis);
  return solid;
}

template <class V>
inline void CollideSolids(const StepModel& m, const World<V>& w, int i, Contacts* contacts) {
  const GeomPair& pair = m.pairs[i];
  const Vec3<V> apart = w.geom_xpos[pair.geom1] - w.geom_xpos[pair.geom2];
  const double most = m.geoms[pair.geom1].bound + m.geoms[pair.geom2].bound + pair.reach;
  const bool is_covered = m.geoms[pair.geom2].type != mjGEOM_CYLINDER;
  ForEachLane(Bits<V>(!(Dot(apart, apart) > most * most)), [&](int k) {
    if (!is_covered) {
      contacts[k].is_partial = true;
      return;
    }
    Touch(i, SolidOf(m, w, pair.geom1, k), SolidOf(m, w, pair.geom2, k), pair.reach, contacts[k]);
  });
}

// The pair of a solid and a wall. A sphere's contact is computed; a lane in which another solid is
// so near that it may touch is left to libmujoco.
template <class V>
inline void CollideWall(const StepModel& m, const World<V>& w, int i, Contacts* contacts) {
  constexpr double kSlack = 1e-6;  // m
  const GeomPair& pair = m.pairs[i];
  const Geom& solid = m.geoms[pair.geom1];
  const Box& box = m.walls[pair.wall].box;
  const Vec3<V> apart = w.geom_xpos[pair.geom1] - All3<V>(box.pos);
  const Vec3<V> axis = AxisOf(w.geom_xmat[pair.geom1]);
  const double half_length = solid.type == mjGEOM_SPHERE ? 0 : solid.size[1];
  unsigned near = ~0u;
  for (int a = 0; a < 3; ++a) {
    const double* const side = box.mat + a;  // an axis of the box
    const V along = apart.x * side[0] + apart.y * side[3] + apart.z * side[6];
    const V tilt = axis.x * side[0] + axis.y * side[3] + axis.z * side[6];
    const double most = box.half[a] + solid.size[0] + pair.reach + kSlack;
    near &= Bits<V>(!(Abs<V>(along) - Abs<V>(tilt) * half_length > most));
  }
  ForEachLane(near, [&](int k) {
    Real pos[3];
    Get(w.geom_xpos[pair.geom1], k, pos);
    if (solid.type == mjGEOM_SPHERE) {
      TouchBox(i, pos, solid.size[0], box, pair.reach, contacts[k]);
    } else {
      contacts[k].is_partial = true;
    }
  });
}

inline void SortByPlace(const StepModel& m, Contacts& contacts) {
  for (int c = 1; c < contacts.size; ++c) {
    const Contact contact = contacts.items[c];
    const int place = m.pairs[contact.pair].place;
    int to = c;
    for (; to > 0 && m.pairs[contacts.items[to - 1].pair].place > place; --to) {
      contacts.items[to] = contacts.items[to - 1];
    }
    contacts.items[to] = contact;
  }
}

// The pairs with walls: first, which walls are near to a box around all that can touch them.
template <class V>
void CollideWalls(const StepModel& m, const World<V>& w, Contacts* contacts) {
  V low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    low[a] = All<V>(mjMAXVAL);
    high[a] = All<V>(-mjMAXVAL);
  }
  for (int i = 0; i < m.num_at_walls; ++i) {
    const int g = m.at_walls[i];
    const double far = m.geoms[g].bound + m.wall_reach;
    const V center[3] = {w.geom_xpos[g].x, w.geom_xpos[g].y, w.geom_xpos[g].z};
    for (int a = 0; a < 3; ++a) {
      const V least = center[a] - far, most = center[a] + far;
      low[a] = Pick<V>(least < low[a], least, low[a]);
      high[a] = Pick<V>(most > high[a], most, high[a]);
    }
  }
  bool is_near[kMaxGeoms], any = false;
  for (int i = 0; i < m.num_walls; ++i) {
    const Wall& wall = m.walls[i];
    unsigned near = ~0u;
    for (int a = 0; a < 3; ++a) {
      near &= Bits<V>(!(low[a] > wall.high[a]));
      near &= Bits<V>(!(high[a] < wall.low[a]));
    }
    any |= is_near[i] = near != 0;
  }
  if (!any) return;
  for (int i = m.num_solid_pairs; i < m.num_pairs; ++i) {
    if (is_near[m.pairs[i].wall]) CollideWall(m, w, i, contacts);
  }
  for (int k = 0; k < kLanesOf<V>; ++k) SortByPlace(m, contacts[k]);
}

// Finds the contacts of each lane.
template <class V>
void Collide(const StepModel& m, const World<V>& w, Contacts* contacts) {
  for (int k = 0; k < kLanesOf<V>; ++k) {
    contacts[k].size = 0;
    contacts[k].is_partial = false;
  }
  for (int i = 0; i < m.num_solid_pairs; ++i) {
    if (m.geoms[m.pairs[i].geom1].type == mjGEOM_PLANE) {
      CollidePlane(m, w, i, contacts);
    } else {
      CollideSolids(m, w, i, contacts);
    }
  }
  if (m.num_walls > 0) CollideWalls(m, w, contacts);
}

// libmujoco drops pairs by rounded bounds before it computes contacts (the sweep, and the trees of
// bounding volumes). So a contact that hardly reaches may be missing there. Returns the lanes that
// have such a contact, too many, one that links two trees, or contacts that are not in the order of
// trees.
template <class V>
unsigned DoubtfulLanes(const StepModel& m, const Contacts* contacts) {
  constexpr double kSweep = 1e-5;  // its bounds are floats: 7.6e-6 at 64 to 128 m from the origin
  unsigned lanes = 0;
  for (int k = 0; k < kLanesOf<V>; ++k) {
    if (contacts[k].is_partial) lanes |= 1u << k;
    int tree = 0;
    for (int c = 0; c < contacts[k].size; ++c) {
      const Contact& contact = contacts[k].items[c];
      const GeomPair& pair = m.pairs[contact.pair];
      double doubt = pair.doubt;
      if (m.geoms[pair.geom1].type != mjGEOM_PLANE) {  // pairs with a plane are not swept
        double far = 0;
        for (int i = 0; i < 3; ++i) far += __builtin_fabs(contact.pos[i]);
        doubt = kSweep * (1 + far / 50);
      }
      if (contact.dist > pair.reach - doubt || pair.tree < tree) lanes |= 1u << k;
      tree = pair.tree;
    }
  }
  return lanes;
}

}  // namespace parallel_pool::mujoco::lanes
