// The numbers in a model that may differ from env to env, under the names of MuJoCo's own bindings.
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
  std::vector<int32_t> shape;  // as mujoco.MjModel has it
  mjtNum* mjModel::* array = nullptr;
  mjtNum* (*option)(mjModel&) = nullptr;  // where it is, if it is no array

  // Of the shape.
  int64_t size() const;
};

// All of a model, sorted by name.
std::vector<ModelField> FieldsOf(const mjModel& model);

// `model` with other numbers in some fields, size() each; what is not changed is shared. Nothing
// that MuJoCo derived from the old ones, such as body_subtreemass of body_mass, is computed anew.
Model WithFields(const Model& model,
                 const std::vector<std::pair<ModelField, Span<double>>>& fields);

}  // namespace parallel_pool::mujoco
