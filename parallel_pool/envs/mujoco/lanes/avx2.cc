// Steps of one env and of four envs, for processors with AVX2.
#include "parallel_pool/envs/mujoco/lanes/lane_stepper.h"

namespace parallel_pool::mujoco::lanes {

Stepper* MakeStepperOfOne(const StepModel& m) {
  return MakeLaneStepper<Number<1>>(m);
}
Stepper* MakeStepperOfFour(const StepModel& m) {
  return MakeLaneStepper<Number<4>>(m);
}

}  // namespace parallel_pool::mujoco::lanes
