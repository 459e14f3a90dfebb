// The velocity constraints of one step of a World as plain numbers, and the solver of many such
// islands at once.
#pragma once

#include <span>

namespace parallel_pool::box2d {

// The numbers of an island's parts, of one island (Float = float) or of several, one in each lane
// of a SIMD register. All members are Floats, so a part is also an array of Floats. Units are
// Box2D's: kg, m, s, rad. Masses and moments of inertia are inverse.
template <class Float>
struct BodyOf {
  Float x, y, turn;  // velocity
  Float mass, inertia;
};

// A revolute joint with a motor and limits, as b2RevoluteJoint: body b turns about a point of a.
template <class Float>
struct JointOf {
  Float a_x, a_y, b_x, b_y;                  // from the bodies' centers of mass to the joint
  Float xx, xy, xz, yx, yy, yz, zx, zy, zz;  // the effective mass, column by column
  Float motor_mass, motor_speed, max_motor_impulse;
  Float at_lower, at_upper;                              // 1 if the joint is at that limit, else 0
  Float impulse_x, impulse_y, impulse_z, motor_impulse;  // sums over the iterations
};

template <class Float>
struct PointOf {
  Float x, y;  // from the body's center of mass
  Float normal_mass, tangent_mass, bias;
  Float normal_impulse, tangent_impulse;  // sums over the iterations
};

// A contact of a body with a static body, as b2ContactSolver solves it. All numbers are 0 where
// there is no contact; the solver then changes nothing.
template <class Float>
struct ContactOf {
  Float normal_x, normal_y;  // towards the body
  Float friction;
  Float has_two;  // 1 if the contact has two points, else 0
  PointOf<Float> first, second;
  Float xx, xy, yx, yy;                      // of two points: K, column by column
  Float mass_xx, mass_xy, mass_yx, mass_yy;  // and its inverse
};

// Bodies that joints hold together, and their contacts.
struct Island {
  static constexpr int kMaxBodies = 5, kMaxJoints = 4;
  static constexpr int kMaxTouching = 6;  // contacts of one body
  static constexpr int kMaxContacts = 2 * kMaxTouching;

  struct Joint {
    int a, b;
    JointOf<float> numbers;
  };
  struct Contact {
    int body;
    ContactOf<float> numbers;
  };

  int num_bodies = 0, num_joints = 0, num_contacts = 0;
  BodyOf<float> bodies[kMaxBodies];
  Joint joints[kMaxJoints];
  Contact contacts[kMaxContacts];
};

// Runs `iterations` velocity iterations of Box2D on each island: its joints one after another, then
// its contacts. The results are those of b2Island::Solve, bit for bit up to the signs of zeros.
//
// An iteration is a chain of dependent operations, so a processor mostly waits. Islands with the
// same joints are therefore solved in the lanes of SIMD registers, as many at once as the processor
// has lanes. Lanes round as single floats do.
void SolveVelocities(std::span<Island* const> islands, int iterations);

// One of the solvers behind it. The solver of one lane is the specification of the others.
struct Solver {
  const char* name;  // of the instruction set, if not all processors have it
  int lanes;         // of a register
  int most;          // the most islands of a call
  bool can_run;      // on this processor
  // Solves `n` islands that have the same joints.
  void (*solve)(Island* const* islands, int n, int iterations);
};
std::span<const Solver> Solvers();  // from the narrowest to the widest

// The most islands that this processor solves at once.
int MostIslands();

}  // namespace parallel_pool::box2d
