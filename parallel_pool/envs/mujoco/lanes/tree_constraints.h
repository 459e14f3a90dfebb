// Contacts that these steps find themselves, and constraints that are solved tree by tree.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/newton.h"
#include "parallel_pool/envs/mujoco/lanes/pgs.h"
#include "parallel_pool/envs/mujoco/lanes/stepper.h"
#include "parallel_pool/envs/mujoco/lanes/wrenches.h"

namespace parallel_pool::mujoco::lanes {

// kNv: the number of dofs, known to the compiler; 0: any. `Solver` is Newton or Pgs.
template <int kNv, class V, template <int, class> class Solver>
class TreeConstraints {
 public:
  static constexpr bool kIsGeneral = false;

  // Begins the steps of other envs.
  void Begin() {}
  // Finds contacts and limits at the positions. Returns the lanes in which that is not valid, next
  // to `lost`, in which it does not matter.
  unsigned Find(const StepModel& m, const Scope&, const World<V>& w, LaneEnv*, int, unsigned lost) {
    Collide(m, w, contacts_);
    limits_ = FindLimits(m, w);
    lost |= DoubtfulLanes<V>(m, contacts_);
    ForEachLane(lost, [&](int k) { contacts_[k].size = 0; });
    return lost;
  }
  // Sets qacc and qfrc_constraint where there are rows of constraints. Returns the lanes in which
  // they are not valid.
  unsigned Solve(const StepModel& m, World<V>& w, unsigned) {
    rows_.size = 0;
    bool has_rows = limits_.any != 0;
    for (const Contacts& contacts : contacts_) has_rows |= contacts.size > 0;
    if (has_rows) MakeRows(m, w, limits_, contacts_, rows_);
    return rows_.size > 0 ? solver_.Run(m, rows_, w) : 0;
  }

  void FindForcesOnBodies(const StepModel& m, const World<V>& w, Spatial<V>* cfrc_ext) const {
    FindContactForces(m, w, contacts_, rows_, cfrc_ext);
  }
  void FindTouches(const StepModel& m, const World<V>& w, V* touches) const {
    lanes::FindTouches(m, w, contacts_, rows_, touches);
  }

  // See LaneEnv and Stepper.
  uint64_t Number(int) const { return 0; }
  const Contacts* contacts(int lane) const { return &contacts_[lane]; }
  int CopyForces(int lane, double* forces) const {
    int n = 0;
    for (int i = 0; i < rows_.size; ++i) {
      if (rows_.lanes[i] >> lane & 1) forces[n++] = At(rows_.force[i], lane);
    }
    return n;
  }
  int iterations(int lane) const { return solver_.iterations[lane]; }

 private:
  Contacts contacts_[kLanesOf<V>];
  ActiveLimits limits_;
  ConstraintRows<kNv, V> rows_;
  Solver<kNv, V> solver_;
};

}  // namespace parallel_pool::mujoco::lanes
