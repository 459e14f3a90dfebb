// Makes a StepModel of an mjModel, and the checks of what steps in lanes cover.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "parallel_pool/envs/mujoco/lanes/step_model.h"

namespace parallel_pool::mujoco::lanes {

// Flattens a model. nullptr if the model has what no step in lanes covers; `why_not` then says it.
std::unique_ptr<const StepModel> Flatten(const mjModel& model, std::string* why_not);

// Ends Flatten, with the reason, if the model has something that is not covered.
inline void Refuse(bool has, const char* what) {
  if (has) throw std::invalid_argument(what);
}
// Throws std::invalid_argument if the model as a whole is not covered.
void CheckModel(const mjModel& model);
// Throws std::invalid_argument if libmujoco would drop contacts because the model's bounding
// volumes do not fit its geoms. The compiler's fit; numbers that a user has changed may not.
void CheckBounds(const mjModel& model);
// Whether a geom is a wall: a box of a body that does not move.
bool IsWall(const mjModel& model, int geom);
// Adds the pairs of geoms, and the walls. Throws std::invalid_argument if a pair is not covered.
void AddPairs(const mjModel& model, StepModel& flat);

}  // namespace parallel_pool::mujoco::lanes
