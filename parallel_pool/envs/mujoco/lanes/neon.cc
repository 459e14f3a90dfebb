// Steps of two envs, for 64-bit ARM. With four lanes, in two registers each, a step takes more
// instructions for each env.
#include "parallel_pool/envs/mujoco/lanes/lane_stepper.h"

namespace parallel_pool::mujoco::lanes {

Stepper* MakeStepperOfTwo(const StepModel& m) {
  return MakeLaneStepper<Number<2>>(m);
}

}  // namespace parallel_pool::mujoco::lanes
