// The iterations of Newton's method, for several envs at once: mj_solPrimal. `Self` derives from it
// and has the problem.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/step_model.h"
#include "parallel_pool/envs/mujoco/lanes/world.h"

namespace parallel_pool::mujoco::lanes {

template <class V, class Self>
class NewtonIterations {
 public:
  int iterations[kLanesOf<V>];  // of each lane

 protected:
  V scale;  // of costs: 1 / the trace of M

  // Iterates from the gradient in `Self`, in the lanes of `live`. Returns the lanes whose Hessian
  // has lost its accuracy.
  unsigned Iterate(const StepModel& m, unsigned live) {
    Self& self = static_cast<Self&>(*this);
    scale = 1 / self.Trace();
    self.FindStepByInertia();
    const unsigned flat = IsFlat(m);
    live &= ~(flat & IsNearMinimum(m));
    if (live == 0) return 0;
    self.FindHessian();
    self.FindNewtonStep();
    live &= ~(flat & IsNearMinimum(m));
    unsigned poor = 0;
    for (int n = 0; live != 0 && n < m.iterations; ++n) {
      V step, saved;
      self.FindStep(live, step, saved);
      live &= Bits<V>(step != 0);
      if (live == 0) break;
      poor |= self.Take(live, step);
      self.FindNewtonStep();
      const V improvement = scale * saved;
      const unsigned stalls = Bits<V>(improvement > 0) & Bits<V>(improvement < m.tolerance);
      ForEachLane(live, [&](int k) { ++iterations[k]; });
      live &= ~(stalls | IsFlat(m) | IsNearMinimum(m) | poor);
    }
    return poor;
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
  unsigned IsFlat(const StepModel& m) const {
    return Bits<V>(scale * self().LengthOfGradient() < m.tolerance);
  }
  // The lanes whose cost can fall only by less than the tolerance, judged by a Newton step.
  unsigned IsNearMinimum(const StepModel& m) const {
    const V gain = 0.5 * scale * self().Gain();
    return Bits<V>(Pick<V>(gain > 0, gain, All<V>(0)) < m.tolerance);
  }
};

}  // namespace parallel_pool::mujoco::lanes
