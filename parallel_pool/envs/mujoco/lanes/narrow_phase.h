// Contacts of one env: of planes, spheres, capsules, cylinders and walls. Compiled once, without
// lanes.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/real.h"

namespace parallel_pool::mujoco::lanes {

inline constexpr int kMaxContacts = 40;

struct Contact {
  int pair;       // of StepModel::pairs
  int row, rows;  // its first row of constraints, and how many it has: none if it does not act
  Real dist;      // negative: they overlap
  Real pos[3];    // in the middle of the overlap
  Real frame[9];  // rows: the normal, from geom 1 to geom 2, and two tangents
};

// The contacts of an env in libmujoco's order.
struct Contacts {
  int size = 0;
  bool is_partial = false;  // whether some may be missing: no room, or they are not covered
  Contact items[kMaxContacts];
};

// A sphere or a capsule; a sphere's half length is 0.
struct Solid {
  Real pos[3], axis[3];
  Real radius, half_length;
  bool is_capsule;
};

// Adds the contact of a plane with a sphere of radius `radius` around `pos`, `distance` away from
// the plane. `axis` is that of the capsule at whose end the sphere is; nullptr: it is no capsule.
void TouchPlane(int pair, const Real normal[3], const Real pos[3], Real distance, Real radius,
                const Real* axis, Contacts& contacts);

struct Cylinder {
  Real pos[3], axis[3], side[3];  // the z and the x axis of its frame
  Real radius, half_length;
};

// Adds the contacts of a plane through `origin` with a cylinder that is nearer than `reach`: none,
// or two to four.
void TouchPlane(int pair, const Real normal[3], const Real origin[3], const Cylinder& cylinder,
                Real reach, Contacts& contacts);

// A box that does not move.
struct Box {
  double pos[3], mat[9];  // mat: its axes as columns
  double half[3];         // its half sizes
};

// Adds the contact of a sphere with a box that is nearer than `reach`. A sphere whose center is in
// the box is not covered.
void TouchBox(int pair, const Real pos[3], Real radius, const Box& box, Real reach,
              Contacts& contacts);

// Adds the contacts of two solids that are nearer than `reach`: at most two.
void Touch(int pair, const Solid& a, const Solid& b, Real reach, Contacts& contacts);

}  // namespace parallel_pool::mujoco::lanes
