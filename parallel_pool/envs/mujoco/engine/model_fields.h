// The numbers of a model that may differ from env to env, by the names of MuJoCo's own bindings.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "parallel_pool/core/options.h"
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

// Returns `model` with other numbers in the fields that `arrays` name; it shares the other arrays.
// Numbers that MuJoCo has derived from the old ones, such as body_subtreemass from body_mass, are
// not computed again: mj_setConst is not called (README.md, Design, says why). Throws
// std::invalid_argument if the model has no such field or it has another shape.
Model WithFields(const Model& model, const Arrays& arrays);

// The option model_fields, which all tasks have.
struct ModelFieldsConfig {
  Arrays model_fields;

  static Options<ModelFieldsConfig> Describe() {
    return {Option<&ModelFieldsConfig::model_fields>(
        "model_fields", "numbers of mjModel for each env, such as geom_friction")};
  }
};

}  // namespace parallel_pool::mujoco
