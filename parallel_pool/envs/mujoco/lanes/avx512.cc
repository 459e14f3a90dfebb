// Steps of eight envs, for processors with AVX-512.
#include "parallel_pool/envs/mujoco/lanes/lane_stepper.h"

namespace parallel_pool::mujoco::lanes {

Stepper* MakeStepperOfEight(const StepModel& m) {
  return MakeLaneStepper<Number<8>>(m);
}

}  // namespace parallel_pool::mujoco::lanes
