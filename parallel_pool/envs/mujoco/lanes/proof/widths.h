// For tests: the numbers of lanes that this processor has, and their steppers.
#pragma once

#include <memory>
#include <vector>

#include "parallel_pool/envs/mujoco/lanes/lane_env.h"

namespace parallel_pool::mujoco::lanes {

inline std::vector<int> Widths() {
#if defined(__aarch64__)
  return {2};
#else
  if (!__builtin_cpu_supports("avx2")) return {};
  if (!__builtin_cpu_supports("avx512dq")) return {1, 4};
  return {1, 4, 8};
#endif
}

inline std::unique_ptr<Stepper> MakeStepper(const StepModel& m, [[maybe_unused]] int lanes) {
#if defined(__aarch64__)
  return std::unique_ptr<Stepper>(MakeStepperOfTwo(m));
#else
  return std::unique_ptr<Stepper>(lanes == 1   ? MakeStepperOfOne(m)
                                  : lanes == 4 ? MakeStepperOfFour(m)
                                               : MakeStepperOfEight(m));
#endif
}

}  // namespace parallel_pool::mujoco::lanes
