// The numbers of lanes that this processor can run.
#pragma once

#include <span>

#include "parallel_pool/envs/mujoco/lanes/stepper.h"

namespace parallel_pool::mujoco::lanes {

inline constexpr int kMostLanes = 8;

struct Width {
  int lanes;
  Stepper* (*make)(const StepModel& m);
};

// The narrowest first; empty: none.
std::span<const Width> Widths();

}  // namespace parallel_pool::mujoco::lanes
