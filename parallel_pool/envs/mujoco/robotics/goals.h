// The common parts of tasks with goals: their observations, and rewards by distance.
#pragma once

#include <cmath>
#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"

namespace parallel_pool::mujoco::robotics {

// A dict of observations, as of Gymnasium's GoalEnv.
struct GoalState { View<double> observation, achieved_goal, desired_goal; };

// Its arrays, in the order of a Gymnasium Dict: so many numbers of the robot, and of a goal.
template <class State>
std::vector<ArrayOf<State>> GoalArrays(int numbers, int goal) {
  return {Array<&State::achieved_goal>("obs:achieved_goal", AnyNumbers(goal)),
          Array<&State::desired_goal>("obs:desired_goal", AnyNumbers(goal)),
          Array<&State::observation>("obs:observation", AnyNumbers(numbers))};
}

// The option reward_type.
inline constexpr const char* kRewardTypes[] = {"sparse", "dense"};
inline constexpr char kRewardTypeDoc[] = "'sparse': whether the goal is reached; 'dense': how near";
inline bool IsDense(const std::string& reward_type) {
  return reward_type == kRewardTypes[1];
}

// numpy.linalg.norm(a - b, axis=-1) of n numbers each, which never fuses; at most 16.
inline double Distance(const double* a, const double* b, int n) {
  double difference[16];
  for (int i = 0; i < n; ++i) difference[i] = a[i] - b[i];
  return std::sqrt(SumOfSquares(difference, n));
}

// numpy.linalg.norm(a - b), another function of NumPy's, which fuses where the installed one does.
inline double FusedDistance(const double* a, const double* b, int n) {
  double difference[16];
  for (int i = 0; i < n; ++i) difference[i] = a[i] - b[i];
  return Norm(difference, n);
}

}  // namespace parallel_pool::mujoco::robotics
