// One world of a model.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// Calls of different Simulations may come from different threads, those of one must not overlap.
// What MuJoCo cannot go on from is thrown as a MujocoError; after it only Begin and Load are of
// use.
class Simulation {
 public:
  // At the model's first state, of which nothing is computed yet. MujocoError if memory is short.
  explicit Simulation(Model model);

  const mjModel& model() const { return *model_; }
  const mjData& data() const { return *data_; }
  // For mjv_updateScene, which wants room for numbers of its own; nothing that `data` shows
  // changes.
  mjData* for_drawing() const { return data_.get(); }

  // Puts the world into its first state but for the positions (nq) and speeds (nv), and computes
  // all that follows from them.
  void Begin(const mjtNum* qpos, const mjtNum* qvel);
  // Holds the control (nu) for `steps` steps of the model. Positions are those at their end; what
  // MuJoCo derives from them, such as xpos, is of the last step's beginning, as in Gymnasium.
  void Step(View<const float> control, int steps);
  // Computes forces on bodies (cfrc_ext), which Step leaves out.
  void ComputeForces();

  // All that `data` shows, so that it need not be computed again (see save.h).
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
