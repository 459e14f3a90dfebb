// Makes a StepModel of an mjModel, and the checks of what steps in lanes cover.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
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
inline bool IsZero(const mjtNum* numbers, int n) {
  return std::all_of(numbers, numbers + n, [](mjtNum x) { return x == 0; });
}
template <int n>
void Copy(double (&to)[n], const mjtNum* from) {
  std::copy_n(from, n, to);
}
inline Rotation4 RotationOf(const mjtNum* q) {
  return {q[0], q[1], q[2], q[3]};
}

// The dofs that move a body, as bits: those of the first body above it that has any, and of its
// ancestors.
DofSet DofsOf(const mjModel& model, int body);
// Throws std::invalid_argument if the model as a whole is not covered.
void CheckModel(const mjModel& model);
// Throws std::invalid_argument if libmujoco would drop contacts because the model's bounding
// volumes do not fit its geoms. The compiler's fit; numbers that a user has changed may not.
void CheckBounds(const mjModel& model);
// Whether a geom is a wall: a box of a body that does not move.
bool IsWall(const mjModel& model, int geom);
// Add tendons, the friction in a dof, and, after bodies and tendons, equality constraints. Each
// throws std::invalid_argument if one is not covered.
void AddTendons(const mjModel& model, StepModel& flat);
void AddLoss(const mjModel& model, int dof, StepModel& flat);
void AddEqualities(const mjModel& model, StepModel& flat);
// Adds the forces of a fluid on bodies. Throws std::invalid_argument if they are too many.
void AddDrags(const mjModel& model, StepModel& flat);
// Adds the sensors that lanes compute.
void AddSensors(const mjModel& model, StepModel& flat);
// Adds the pairs of geoms, and the walls. Throws std::invalid_argument if a pair is not covered.
void AddPairs(const mjModel& model, StepModel& flat);

}  // namespace parallel_pool::mujoco::lanes
