// One world of a model.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/collision/collider.h"
#include "parallel_pool/envs/mujoco/engine/flat_model.h"
#include "parallel_pool/envs/mujoco/engine/model.h"
#include "parallel_pool/envs/mujoco/lanes/stepper.h"

namespace parallel_pool::mujoco {

using enum lanes::Reads;

// Calls of different Simulations may come from different threads; calls of one must not overlap.
// Errors after which MuJoCo cannot continue are thrown as MujocoError; only Begin and Load may
// follow.
class Simulation {
 public:
  // Makes a world in the model's initial state, with nothing derived computed yet. `reads` are the
  // arrays that steps have to compute. Throws std::bad_alloc if there is no memory.
  Simulation(Model model, unsigned reads);
  // As above, for a model that differs from `base` in nothing that steps need, until LeaveLanes.
  Simulation(Model model, unsigned reads, const Model& base);
  // From now on, no step is made in lanes.
  void LeaveLanes();

  const mjModel& model() const { return *model_; }
  const mjData& data() const { return *data_; }
  mjData& data() { return *data_; }
  // From now on, steps compute these arrays, too.
  void AlsoRead(unsigned reads) { reads_ |= reads; }
  // From now on, only the last of several held steps computes sensors, which no step reads. The
  // arrays of the model must be its last ones (see ModelVariant).
  void SenseAtEndOnly();

  // The data for mjv_updateScene, which writes only to its own scratch memory in it.
  mjData* for_drawing() const;
  // A copy of them, whose changes have no effect on the world; valid until the next call.
  mjData* copy_for_drawing() const;

  // Puts the world into its initial state with the positions `qpos` (nq) and speeds `qvel` (nv),
  // and computes the derived numbers.
  void Begin(const mjtNum* qpos, const mjtNum* qvel);

  // Computes all derived numbers of the positions, speeds and controls in `data`.
  void Forward();
  // Computes a part of these: the frames of bodies, geoms, sites, cameras and lights.
  void MoveFrames();
  // As MoveFrames, and the numbers that mj_jacSite reads.
  void MoveJacobians();
  // Computes the arrays of positions that steps in lanes leave out.
  void Place() const;

  // A step: Hold, then Advance, with other worlds, then Finish.
  //
  // Holds the control (nu) for `steps` steps of the model. Positions are those at the end; numbers
  // that MuJoCo derives from them, such as xpos, are of the last step's beginning, as in Gymnasium.
  void Hold(View<const AnyFloat> control, int steps);
  void Hold(View<const double> control, int steps);
  void Hold(int steps);  // the control that `data` has
  // Throws the error of the steps.
  void Finish();
  // As mj_step, and its first half, mj_step1, at once: for worlds that hold no steps.
  void Step() { MakeStep(*model_); }
  void Step1();
  // Computes the forces on bodies (cfrc_ext, cacc, cfrc_int), which no Begin does.
  void ComputeForces();

  // Saves all of `data`, derived numbers included, so they need not be computed again (see save.h).
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

  // For Advance only.
  const lanes::StepModel* step_model() const { return flat_ ? flat_->steps.get() : nullptr; }
  int held_steps() const { return held_steps_; }
  unsigned reads() const { return reads_; }
  bool StepsAs(const Simulation& other) const {
    return flat_ == other.flat_ && held_steps_ == other.held_steps_ && reads_ == other.reads_;
  }
  uint64_t constraints() const { return constraints_; }
  lanes::LaneEnv BeginLane();
  void EndLane(const lanes::LaneEnv& env);
  void StepAlone();  // makes the held steps without lanes
  bool StepOnce();   // makes one of them; false: it threw, as Finish will

 private:
  struct Delete {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  void FindContactsOurselves();
  bool FindContacts(bool (collision::Collider::*search)(const mjModel&, mjData&));
  void FinishReads();
  void MakeStep();
  void MakeStep(const mjModel& m);
  // Calls `what`, unless there is an error already. False: there is one now, for Finish.
  bool Try(void (Simulation::*what)());

  Model model_;
  std::shared_ptr<const FlatModel> flat_;
  unsigned reads_;
  std::unique_ptr<mjData, Delete> data_;
  // nullptr: mj_step makes the steps without lanes.
  std::unique_ptr<collision::Collider> collider_;
  Model without_sensors_;     // nullptr: all steps compute sensors
  uint64_t constraints_ = 0;  // those of the last step in lanes; see LaneEnv
  int held_steps_ = 0;
  bool is_last_step_ = true;  // of the held ones
  std::exception_ptr error_;
  // After steps in lanes, `data_` lacks the arrays of positions that no task reads. They are those
  // of the positions `placed_`, and computed when they are needed.
  mutable std::vector<mjtNum> placed_;
  mutable bool is_placed_ = true;
  mutable std::unique_ptr<mjData, Delete> drawn_;  // of copy_for_drawing
};

}  // namespace parallel_pool::mujoco
