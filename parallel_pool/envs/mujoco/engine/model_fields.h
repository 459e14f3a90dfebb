// The numbers of a model that may differ from env to env, by the names of MuJoCo's own bindings.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// An array of mjModel, such as geom_friction, or an option of it, such as opt.gravity.
struct ModelField {
  std::string name;
  std::vector<int32_t> shape;  // as in mujoco.MjModel
  mjtNum* mjModel::* array = nullptr;
  mjtNum* (*option)(mjModel&) = nullptr;  // address, if it is not an array

  // The number of elements of `shape`.
  int64_t size() const;
};

// All fields of a model, sorted by name.
std::vector<ModelField> FieldsOf(const mjModel& model);

// Returns `model` with other numbers in some fields, size() each; the other arrays are shared.
// Numbers that MuJoCo has derived from the old ones, such as body_subtreemass from body_mass, are
// not computed again: mj_setConst is not called (README.md, Design, says why).
Model WithFields(const Model& model,
                 const std::vector<std::pair<ModelField, Span<double>>>& fields);

}  // namespace parallel_pool::mujoco
