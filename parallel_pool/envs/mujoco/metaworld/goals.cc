#include "parallel_pool/envs/mujoco/metaworld/goals.h"

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

bool IsTooNear(const TaskInfo& task, const Vector& vector) {
  if (task.least_distance == 0) return false;
  const double* const other = task.keeps_from == nullptr ? &vector[3] : task.keeps_from;
  const double apart[] = {vector[0] - other[0], vector[1] - other[1]};
  return Norm(apart, 2) < task.least_distance;
}

Vector Draw(const TaskInfo& task, RandomState& random) {
  Vector vector = {};
  do {
    for (int i = 0; i < task.size; ++i) vector[i] = random.Uniform(task.low[i], task.high[i]);
  } while (IsTooNear(task, vector));
  return vector;
}

}  // namespace

Goals DrawGoals(const TaskInfo& task, RandomState& random) {
  Goals goals;
  for (Vector& goal : goals) {
    Draw(task, random);  // a reset draws twice, and keeps the second one
    goal = Draw(task, random);
  }
  return goals;
}

}  // namespace parallel_pool::mujoco::metaworld
