// A world that is stepped and reset as dm_control's mujoco.Physics does it.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/mujoco/engine/model_variant.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco::dm_control {

// The elements of a body's orientation (xmat): the coordinates of the body's axes in the world.
// kXZ, for example, is the world's x of the body's z axis.
enum MatrixElement { kXX, kXY, kXZ, kYX, kYY, kYZ, kZX, kZY, kZZ };

// One env's world, with its own copy of the model's struct. Lookups by name throw
// std::invalid_argument if the model has no such element. Their results stay valid as long as the
// Physics and follow the world.
class Physics {
 public:
  // With `legacy_step`, quantities that MuJoCo derives from positions and speeds fit these after a
  // Step, as in dm_control by default. `reads` are the arrays that the task reads after a Step.
  Physics(const Model& model, bool legacy_step, unsigned reads);

  const mjModel& model() const { return variant_->model; }
  const mjData& data() const { return world_.data(); }
  mjData& data() { return world_.data(); }
  const Simulation& simulation() const { return world_; }

  // An array of the model, of `size` numbers, that this env changes from now on. Changes survive
  // episodes. A spring or a damping may be changed, but not added; only sites of the world body
  // without sensors of touch may be changed, and, in a model without contacts, only its geoms.
  template <class T>
  T* Edit(T* mjModel::* array, int64_t size) {
    if (!MayDiffer(array)) world_.LeaveLanes();
    return variant_->Own(array, size);
  }
  // Undoes all changes of the model.
  void RestoreModel() { variant_->Restore(); }

  // Puts the world into the model's initial state.
  void Reset();
  // Computes all derived quantities without the actuators, as dm_control does after a reset.
  void Forward();
  // Computes the positions of all bodies, geoms and sites from `qpos`, and nothing else.
  void ComputePositions();
  // The number of contacts at the positions `qpos`. Computes nothing else that can be relied upon:
  // a Reset must follow.
  int CountContacts();
  // Advances by `n` steps of the model, n > 0. Positions may have been changed before it.
  void Step(int n);
  // The same with other worlds: the caller advances the result (Simulation::Hold). Derived
  // quantities must fit the positions, as they do after a Forward or a step.
  Simulation& Hold(int n);

  // The number of an element, such as FindId(mjOBJ_GEOM, "target").
  int FindId(mjtObj type, const char* name) const;
  mjtNum* JointPosition(const char* joint);              // its first number of qpos
  mjtNum* JointVelocity(const char* joint);              // its first number of qvel
  const mjtNum* BodyMatrix(const char* body) const;      // 9 MatrixElements
  const mjtNum* BodyPosition(const char* body) const;    // 3 numbers
  const mjtNum* BodyMassCenter(const char* body) const;  // 3 numbers
  const mjtNum* GeomPosition(const char* geom) const;    // 3 numbers
  const mjtNum* SitePosition(const char* site) const;    // 3 numbers
  const mjtNum* Sensor(const char* sensor) const;

  // Saves the world and the changes of the model (see save.h).
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  // Whether envs in the same lanes may have different numbers in an array: lanes read those of each
  // env, or no step depends on them.
  bool MayDiffer(mjtNum* mjModel::* array) const;
  bool MayDiffer(float* mjModel::* array) const {
    return array == &mjModel::mat_rgba || array == &mjModel::site_rgba ||
           array == &mjModel::geom_rgba;
  }
  void StepByLibrary(int n);
  void StepUnseen(int n);

  std::shared_ptr<ModelVariant> variant_;
  Simulation world_;  // of *variant_
  const bool legacy_step_, moves_by_sites_;
};

}  // namespace parallel_pool::mujoco::dm_control
