// One world of a model.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// Calls of different Simulations may come from different threads; calls of one must not overlap.
// Errors after which MuJoCo cannot continue are thrown as MujocoError; only Begin and Load may
// follow.
class Simulation {
 public:
  // Makes a world in the model's initial state, with nothing derived computed yet. Throws
  // std::bad_alloc if there is no memory.
  explicit Simulation(Model model);

  const mjModel& model() const { return *model_; }
  const mjData& data() const { return *data_; }
  mjData& data() { return *data_; }
  // The data for mjv_updateScene, which writes only to its own scratch memory in it.
  mjData* for_drawing() const { return data_.get(); }

  // Puts the world into its initial state with the positions `qpos` (nq) and speeds `qvel` (nv),
  // and computes the derived numbers.
  void Begin(const mjtNum* qpos, const mjtNum* qvel);
  // Holds the control (nu) for `steps` steps of the model. Positions are those at the end; numbers
  // that MuJoCo derives from them, such as xpos, are of the last step's beginning, as in Gymnasium.
  void Step(View<const float> control, int steps);
  // Computes the forces on bodies (cfrc_ext), which Step does not.
  void ComputeForces();

  // Saves all of `data`, derived numbers included, so they need not be computed again (see save.h).
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  struct Delete {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  Model model_;
  std::unique_ptr<mjData, Delete> data_;
};

}  // namespace parallel_pool::mujoco
