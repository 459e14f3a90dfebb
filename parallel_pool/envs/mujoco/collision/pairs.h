// The pairs of geoms whose contacts mj_collision may find, in the order in which it adds them.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

namespace parallel_pool::mujoco::collision {

// Whether geoms of two bodies may touch: both move, or one does, and they are neither welded to
// each other nor parent and child.
bool MayTouch(const mjModel& m, int body1, int body2);
// Whether two geoms are kept apart by contype and conaffinity.
bool AreMasked(const mjModel& m, int geom1, int geom2);

// libmujoco may miss a contact that is found through trees of boxes, and whose distance is less
// than this below `reach`, in m. `with_plane`: one of the bodies has a plane.
double TreeDoubt(const mjModel& m, int geom1, int geom2, bool with_plane, double reach);

// Two geoms. Numbers of the model may differ from env to env, so all that depends on them is
// computed when it is needed.
struct Pair {
  int geom1, geom2;   // the one of the lower type first
  int explicit_pair;  // its place in the model's list of pairs; -1: it is not in it
  bool is_leaf;       // libmujoco finds it through the trees of boxes of its bodies
  bool with_plane;    // one of its bodies has a plane
  bool is_swept;      // libmujoco finds its bodies by a sweep
  bool is_convex;     // its touch is a search for the nearest points, and costs much
};

// The pairs first, first + 1, ... of two bodies, or one pair of the model's list.
struct BodyPair {
  int body1, body2;  // places in Pairs::bodies
  int first, size;
  bool has_plane;
};

struct Pairs {
  std::vector<int> bodies;              // those whose geoms may touch
  std::vector<std::vector<int>> geoms;  // of each of them, those of pairs but planes
  std::vector<Pair> pairs;
  std::vector<BodyPair> body_pairs;
};

// Both throw std::invalid_argument, which names what the model has that is not covered.
void CheckOptions(const mjModel& m);
Pairs FindPairs(const mjModel& m);

// Contacts nearer than this act, in m.
double Margin(const mjModel& m, const Pair& pair);
// Contacts nearer than this are found, in m.
double Reach(const mjModel& m, const Pair& pair);

}  // namespace parallel_pool::mujoco::collision
