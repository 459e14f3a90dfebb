// The numbers of lanes that this processor can run.
#pragma once

#include <algorithm>
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
// Those that can step a model.
inline std::span<const Width> WidthsFor(const StepModel& m) {
  const auto widths = Widths();
  const auto fits = [&](const Width& width) {
    return !m.is_general || width.lanes <= kMostGeneralLanes;
  };
  return widths.first(std::ranges::count_if(widths, fits));
}

}  // namespace parallel_pool::mujoco::lanes
