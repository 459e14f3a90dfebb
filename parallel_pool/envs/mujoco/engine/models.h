// Models as tasks load them: by the name of a file that comes with this family, or by a path.
#pragma once

#include <string>
#include <vector>

#include "parallel_pool/core/options.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// What a task needs of a model.
struct ModelRequirements {
  int positions = 1, speeds = 1;  // at least
  bool exactly = false;           // not more of them
  std::vector<const char*> bodies = {};
};

// The model that the option xml_file names: a path if it begins with ".", "/" or "~", else a file
// of models/SUITE next to this library, such as models/gym. `flags` (mjDSBL_...) are those with
// which the task's own model, `own`, gives the same numbers faster. std::invalid_argument if it is
// not a model or does not meet the requirements.
Model LoadTaskModel(const std::string& suite, const std::string& xml_file, const std::string& own,
                    int flags, const ModelRequirements& requirements);

// The model of a user: `path`, the value of `option`, is a file or the name of one of models/SUITE.
// std::invalid_argument if it is not a model or has no controls.
Model LoadControlled(const std::string& suite, const std::string& option, const std::string& path);

// The number of the body that `option` names or numbers. std::invalid_argument if the model has no
// such body.
int FindBody(const std::string& option, const mjModel& model, const IntOrString& body);

// The space of the action: one number for each control, within its range. MuJoCo clips numbers
// outside where the model says so.
Space ControlSpace(const mjModel& model);

}  // namespace parallel_pool::mujoco
