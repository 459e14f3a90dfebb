// The part of an mjModel that a step in lanes needs, flattened: bodies in order, joints, degrees of
// freedom (dofs), the sparse rows of the inertia matrix, and the pairs of geoms that can touch.
//
// Numbers that depend on the model only are computed here once. Each has libmujoco's order of
// operations, so that it has the same bits.
#pragma once

#include <mujoco/mujoco.h>
#include <stdint.h>

#include "parallel_pool/envs/mujoco/lanes/constraint_law.h"
#include "parallel_pool/envs/mujoco/lanes/dof_set.h"
#include "parallel_pool/envs/mujoco/lanes/narrow_phase.h"
#include "parallel_pool/envs/mujoco/lanes/touch.h"

namespace parallel_pool::mujoco::lanes {

// The most that a model may have of each. Models beyond them are stepped by libmujoco.
inline constexpr int kMaxBodies = 63, kMaxJoints = 76, kMaxDofs = 88, kMaxPositions = 90;
inline constexpr int kMaxGeoms = 304, kMaxSites = 112, kMaxInertias = 1340, kMaxActuators = 56;
inline constexpr int kMaxPairs = 1600, kMaxTendons = 48, kMaxTendonJoints = 12, kMaxSensors = 32,
                     kMaxEllipsoids = 32;
inline constexpr int kMaxTouches = 112, kMaxRows = 2 * kMaxJoints + 4 * kMaxContacts;
inline constexpr int kMaxMocaps = 2, kMaxWelds = 2, kMaxCouplings = 8, kMaxTrees = 16;
// Rows of constraints of all kinds; a step with more retreats.
inline constexpr int kMostRows = 520;
// The most dofs of a model that is not general: the bits of a word.
inline constexpr int kMaxTreeDofs = 64;

struct Rotation4 { double w, x, y, z; };  // a unit quaternion

// A frame that is fixed in a body.
struct FixedFrame {
  int body;
  int same_frame;  // mjtSameFrame: the frame of the body or of its inertia, if it is the same
  double pos[3];
  Rotation4 quat;
};

struct Body {
  int parent, root;
  int carrier;  // the parent if that moves, else 0
  int first_joint, num_joints;
  int first_dof, num_dofs;
  int mocap;       // the place of its pose in mjData; -1: joints move it
  DofSet dofs;     // bits of the dofs that move it
  unsigned tree;   // the bit of its tree; 0: nothing moves it
  bool is_fixed;   // no step moves it
  bool is_free;    // its only joint is free
  bool is_turned;  // whether quat is not the unit
  double pos[3];   // in the parent
  Rotation4 quat;
  FixedFrame inertia_frame;
  double mass, inverse_subtree_mass, inertia[3];  // the second: 0 without mass
  double inverse_weight[2];                       // body_invweight0
};

// The dofs from `begin` to `end`: all, or those of a tree.
struct DofRange {
  int begin, end;

  int size() const { return end - begin; }
};

// The dofs and joints of the bodies below a child of the world. Forces of constraints in one tree
// do not depend on those in another one.
struct Tree {
  DofRange dofs;
  int first_joint, num_joints;
};

struct Joint {
  int type, body;
  int position, dof;  // its first numbers in qpos and qvel
  double axis[3], pos[3];
  double reference;  // the position in which it is not turned
  double spring_reference;
  bool has_spring;
  bool is_centered;  // whether pos is zero
  bool is_limited;
  double low, high, margin;
};

struct Geom {
  int type;
  bool is_wall;
  FixedFrame frame;
  double size[3], bound;  // bound: the radius of a sphere around it
};

// A wall, such as those of a maze.
struct Wall {
  Box box;
  double low[3], high[3];  // the sides of a box around it, along the axes of the world
};

// Two geoms that can touch; the one with the lower type first.
struct GeomPair {
  int geom1, geom2;
  int wall;        // geom2's; -1: it is none
  int place;       // in the order in which libmujoco lists contacts
  int tree;        // that the contact moves; -1: it links two trees
  int dimensions;  // 1: without friction, 3: with
  double reach;    // the distance below which there is a contact; it acts below law.margin
  double doubt;    // libmujoco may miss a contact that is less than this nearer than reach
  double friction;
  ConstraintLaw law;
};

struct Actuator {
  int position, dof;  // of the joint that it acts on
  int tendon;         // or the tendon; else -1
  double gear, gain;
  bool is_servo;   // its force depends on the joint or the tendon, too:
  double bias[3];  // a constant, and factors of its length and velocity
  bool is_limited, is_force_limited;
  double low, high, force_low, force_high;
  int activation;  // the place of its own state, which follows the control; -1: it has none
  int dynamics;    // mjtDyn
  bool is_early;   // its force is that of the activation at the end of the step
  bool is_activation_limited;
  double activation_low, activation_high;
  double time_constant;  // s
  double way;            // of an exact filter in a step: the part of what is left
};

// A constraint that holds two bodies together.
struct Weld {
  int body1, body2;
  double anchor1[3], anchor2[3];  // in the bodies
  Rotation4 relative;             // of body 2 in body 1
  double torque_scale;
  ConstraintLaw law;        // of the three rows of translations
  double turning_diagonal;  // of the three of rotations
};

// A joint, or a tendon.
struct Coupled {
  int position, dof;  // of the joint; -1: it is a tendon
  int tendon;         // -1: it is a joint
  double reference;
};

// A constraint that makes the position of a joint, or the length of a tendon, a polynomial of that
// of another one, or constant.
struct Coupling {
  Coupled first, second;
  bool has_second;
  double polynomial[5];
  DofSet dofs;
  unsigned trees;
  ConstraintLaw law;
};

// The friction in a dof.
struct FrictionLoss {
  int dof;
  double most;  // force
  double impedance, damping, regularizer;
};

// The drag of a body's equivalent box in a fluid at rest.
struct Drag {
  int body;
  int num_ellipsoids;       // of its geoms; if there are any, the box has no drag
  double spin, slide;       // viscous
  double turn[3], push[3];  // quadratic
};

// The drag of a geom's ellipsoid in a fluid at rest, with the fluid that it moves along.
struct EllipsoidDrag {
  int geom;
  double scale, density;
  double mass[3], inertia[3];  // of the fluid that is moved along
  double side[3];              // products of two half axes, the longest of which is 1, squared
  double square, area;         // pi times the longest one squared, or times it and the middle one
  double moment[3];            // of the quadratic friction of turning
  double blunt, slender, magnus, kutta;  // coefficients
  double linear_viscosity, angular_viscosity;
};

// A tendon whose length is the sum of joint positions times numbers (mjModel::wrap_prm). A tendon
// in space has size 0, and exerts no force but that of the limit of a span between two sites.
struct Tendon {
  int size, first;  // first: in wrap_prm
  int sites[2];     // of a tendon in space that is limited
  int position[kMaxTendonJoints], dof[kMaxTendonJoints];
  int by_dof[kMaxTendonJoints];  // the places of its joints, in the order of their dofs
  DofSet dofs;                   // bits of its dofs
  unsigned trees;                // bits of their trees
  double stiffness, spring_low, spring_high;  // the spring is at rest between these lengths
  bool is_limited;
  double low, high;
  ConstraintLaw limit;
};

// A sensor of the position or the velocity of a joint (mjSENS_JOINTPOS, mjSENS_JOINTVEL), of the
// position of a site or a body (mjSENS_FRAMEPOS), of the mass center of a body and all below it, or
// its velocity (mjSENS_SUBTREECOM, mjSENS_SUBTREELINVEL), or of the velocities of a site in its own
// axes (mjSENS_VELOCIMETER, mjSENS_GYRO).
struct Sensor {
  int address, size;  // in sensordata
  int type;           // mjtSensor
  int object;         // the body or the site; of joints, the place in qpos or qvel
  bool is_of_body;
};

// A sensor of the acceleration of a site (mjSENS_ACCELEROMETER), or of the force or the torque
// between its body and the parent (mjSENS_FORCE, mjSENS_TORQUE): 3 numbers, in the site's axes.
struct ForceSensor { int address, type, site; };

// Numbers of bodies or geoms, in order.
template <int kMost>
struct Numbers {
  int size;
  int items[kMost];

  void Add(int item) { items[size++] = item; }
  const int* begin() const { return items; }
  const int* end() const { return items + size; }
};

// The part of a model that is computed in each step.
struct Scope {
  Numbers<kMaxBodies> bodies;   // but the world
  Numbers<kMaxBodies> massive;  // with the world
  Numbers<kMaxGeoms> geoms;
};

struct StepModel {
  int nq, nv, na, nbody, njnt, ngeom, nsite, nu, ntendon;
  int ntree, num_inertias, num_drags, num_sensors, num_touches, num_force_sensors;
  int num_ellipsoids;
  int num_pairs, num_solid_pairs, num_walls, num_at_walls;
  int nmocap, neq, num_welds, num_couplings, num_losses;
  double timestep, gravity[3];
  double qpos0[kMaxPositions];  // the initial positions
  double tolerance, line_search_tolerance, impratio;
  int iterations, line_search_iterations, noslip_iterations;
  double noslip_tolerance;
  bool is_runge_kutta, is_pgs, has_springs, has_damping, has_limits;
  bool has_tendons_in_space, has_tendon_limits, has_tendon_springs, has_subtree_sensors;
  bool lacks_sensors;  // the model has more than are listed here
  // Contacts are those that collision::Collider finds, and constraints are solved by islands.
  bool is_general;
  bool has_contacts;  // of general models
  bool is_elliptic;   // its friction cones; else they are pyramids
  bool is_sparse;     // its Jacobian; so is the Hessian of Newton's method

  // All that may move; and what the state at the end of a step depends on. The second leaves out
  // fixed bodies, those without mass, joints and geoms that hold nothing by a tendon or a weld, and
  // geoms that neither touch others nor displace a fluid.
  Scope all, least;

  Body bodies[kMaxBodies];
  Tree trees[kMaxDofs];
  Joint joints[kMaxJoints];
  ConstraintLaw limits[kMaxJoints];
  Geom geoms[kMaxGeoms];
  FixedFrame sites[kMaxSites];
  Actuator actuators[kMaxActuators];
  Drag drags[kMaxBodies];
  EllipsoidDrag ellipsoids[kMaxEllipsoids];
  Tendon tendons[kMaxTendons];
  Sensor sensors[kMaxSensors];
  TouchSensor touches[kMaxTouches];
  ForceSensor force_sensors[kMaxSensors];
  Weld welds[kMaxWelds];
  Coupling couplings[kMaxCouplings];
  FrictionLoss losses[kMaxDofs];
  GeomPair pairs[kMaxPairs];  // those without a wall first; in order of their places
  Wall walls[kMaxGeoms];
  int at_walls[kMaxGeoms];  // the geoms that can touch walls
  double wall_reach;        // the largest reach of a pair with a wall

  // Each dof's body, the next dof towards the root (-1: none), and its row of M.
  int dof_body[kMaxDofs], dof_parent[kMaxDofs], row[kMaxDofs], row_size[kMaxDofs];
  int column[kMaxInertias];    // of each number of M
  DofSet ancestors[kMaxDofs];  // the columns of each row of M before its diagonal
  double armature[kMaxDofs], damping[kMaxDofs];
  bool is_simple[kMaxDofs];  // whether its row is a constant
  double constant_inertia[kMaxDofs];
};

}  // namespace parallel_pool::mujoco::lanes
