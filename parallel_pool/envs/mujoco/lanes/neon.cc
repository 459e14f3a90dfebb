// Steps of two and of four envs, for 64-bit ARM.
#include "parallel_pool/envs/mujoco/lanes/stepper.h"

namespace parallel_pool::mujoco::lanes {

Stepper* MakeStepperOfTwo(const StepModel& m) {
  return MakeLaneStepper<Number<2>>(m);
}
Stepper* MakeStepperOfFour(const StepModel& m) {
  return MakeLaneStepper<Number<4>>(m);
}

}  // namespace parallel_pool::mujoco::lanes
