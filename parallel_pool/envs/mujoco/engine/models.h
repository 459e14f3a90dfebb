// Loads the models of tasks: by the name of a file of this family, or by a path.
#pragma once

#include <string>
#include <vector>

#include "parallel_pool/core/options.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// The requirements of a task for a model.
struct ModelRequirements {
  int positions = 1, speeds = 1;  // the minimum of nq and nv
  bool exactly = false;           // whether more are refused
  std::vector<const char*> bodies = {};
};

// Loads the model of the option xml_file: a path if it begins with ".", "/" or "~", else a file of
// models/SUITE next to this library, such as models/gym. With `flags` (mjDSBL_...) the task's own
// model, `own`, has the same numbers and is faster. Throws std::invalid_argument if it is not a
// model or does not meet the requirements.
Model LoadTaskModel(const std::string& suite, const std::string& xml_file, const std::string& own,
                    int flags, const ModelRequirements& requirements, const ModelEdit& edit = {});

// Loads models/SUITE/FILE, a model of this package.
Model LoadOwnModel(const std::string& suite, const std::string& file, int flags = 0,
                   const ModelEdit& edit = {});

// Loads the model of a user: `path`, the value of `option`, is a file or the name of one of
// models/SUITE. Throws std::invalid_argument if it is not a model or has no controls.
Model LoadControlled(const std::string& suite, const std::string& option, const std::string& path);

// The number of `body`, the value of `option`, which is a number or a name. Throws
// std::invalid_argument if the model has no such body.
int FindBody(const std::string& option, const mjModel& model, const IntOrString& body);

// The space of the action: one number for each control, within its range. MuJoCo clips numbers
// outside of it if the model limits the control.
Space ControlSpace(const mjModel& model);

}  // namespace parallel_pool::mujoco
