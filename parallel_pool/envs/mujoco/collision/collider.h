// The contacts of one env, equal bit by bit to those of mj_collision. Most of mj_collision's time
// goes to pairs of geoms that do not touch. Here each pair knows how far its bodies must travel
// before it can touch, and is left alone until then. The touches themselves are libmujoco's own.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "parallel_pool/envs/mujoco/collision/pairs.h"

namespace parallel_pool::mujoco::collision {

class Collider {
 public:
  // An env of a model whose pairs these are.
  explicit Collider(std::shared_ptr<const Pairs> pairs);

  // Call it after a change of the model's geoms, before the next Collide.
  void Forget() {
    is_new_ = true;
    next_attempt_ = 0;
  }
  // As mj_collision. The frames in `d` are those of its positions.
  void Collide(const mjModel& m, mjData& d) {
    if (!TryCollide(m, d)) CollideByLibrary(m, d);
  }
  // As Collide, but reads only the positions and the matrices of bodies and geoms. False: only
  // mj_collision can tell which contacts there are.
  bool TryCollide(const mjModel& m, mjData& d);
  // Asks mj_collision, which reads the frames of inertias, too.
  bool CollideByLibrary(const mjModel& m, mjData& d) {
    mj_collision(&m, &d);
    return true;
  }

  struct Counts {
    int64_t steps = 0;
    int64_t looks = 0;     // at pairs whose bodies have travelled far enough
    int64_t touches = 0;   // calls of libmujoco's functions
    int64_t doubtful = 0;  // steps whose search ended in a doubt
  };
  const Counts& counts() const { return counts_; }

 private:
  // How a body's geoms have moved.
  struct Traveller {
    double center[3] = {}, radius = 0;  // of a sphere around its geoms, in the body's frame
    double before[12] = {};             // the center in the world, and the body's rotation
    double travelled = 0;               // no point of its geoms has moved farther, in m
  };
  // The axis that has last kept a convex pair apart.
  struct Axis {
    float axis[3] = {};
    bool is_found = false;
    int8_t failures = 0;  // the next search waits the longer, the more there were
    int64_t next_search = 0, last_success = 0;  // steps
  };

  void Begin(const mjModel& m, const mjData& d);
  void Travel(const mjData& d);
  bool Collide(const mjModel& m, mjData& d, const BodyPair& bodies, float& limit);
  bool AddContacts(const mjModel& m, mjData& d, int pair, double& apart);
  bool AddTouches(const mjModel& m, mjData& d, int pair, const mjPreContact* found, int n);
  double SearchAxis(const mjModel& m, mjData& d, int pair);
  bool IsSwept(const mjModel& m, const mjData& d, const Pair& pair);

  const std::shared_ptr<const Pairs> pairs_;
  std::vector<Traveller> travellers_;  // of Pairs::bodies
  // Floats: a kitchen has 3,736 pairs for each env.
  std::vector<float> limits_;            // of Pairs::pairs: both bodies' ways before it can touch
  std::vector<float> body_pair_limits_;  // of Pairs::body_pairs: the least of its pairs
  std::vector<int16_t> axis_of_;         // of Pairs::pairs: its place in axes_; -1: none
  std::vector<Axis> axes_;
  double most_reach_ = 0;  // of all pairs
  double sweep_[9];        // the axes of libmujoco's sweep in this step
  bool is_new_ = true, has_sweep_ = false, fits_ = true;
  int doubts_ = 0;            // doubtful steps in turn
  int64_t next_attempt_ = 0;  // the step of the next own search
  Counts counts_;
};

// Makes the first half of a step as mj_step1 does, with these contacts. The model is one that
// PairsOf covers; mj_step is mj_step1 and mj_step2 of it.
void Step1(const mjModel& m, mjData& d, Collider& collider);

}  // namespace parallel_pool::mujoco::collision
