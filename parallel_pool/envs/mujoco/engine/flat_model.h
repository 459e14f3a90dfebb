// The flattened form of a model, made once for all envs that share the model.
#pragma once

#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/engine/model.h"
#include "parallel_pool/envs/mujoco/lanes/stepper.h"

namespace parallel_pool::mujoco {

struct FlatModel {
  std::unique_ptr<const lanes::StepModel> steps;  // nullptr: libmujoco steps the model
  std::string why_not;                            // then: what the model has that is not covered
};

// For a task that reads the arrays `reads` after a step. Envs keep the result as long as they use
// `model`. Any thread may call it.
std::shared_ptr<const FlatModel> FlatModelOf(const Model& model, unsigned reads);

}  // namespace parallel_pool::mujoco
