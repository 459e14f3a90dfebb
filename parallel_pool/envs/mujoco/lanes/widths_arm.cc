#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco::lanes {

std::span<const Width> Widths() {
  static constexpr Width kWidths[] = {{2, &MakeStepperOfTwo}};
  return kWidths;
}

}  // namespace parallel_pool::mujoco::lanes
