// The line along which Newton's method for trees searches. The cost along it is piecewise
// quadratic: a row costs where its acceleration is below the reference.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/constraints.h"
#include "parallel_pool/envs/mujoco/lanes/line_search.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class TreeLine : public LineSearch<V, TreeLine<V>> {
 public:
  // Each row's residual at the start, its change by the direction, and the coefficients of
  // its cost.
  V residual[kMaxRows], change[kMaxRows];
  V cost0[kMaxRows], cost1[kMaxRows], cost2[kMaxRows];
  V smooth1, smooth2;  // linear and quadratic coefficients of the cost without constraints
  int size;

  LinePoint<V> Evaluate(V alpha) const {
    const V zero = All<V>(0);
    V cost = zero, sum0 = zero, sum1 = smooth1, sum2 = smooth2;
    for (int i = 0; i < size; ++i) {
      const V before = Pick<V>(residual[i] < 0, cost0[i], zero);
      const Mask<V> acts = residual[i] + alpha * change[i] < 0;
      sum0 = sum0 + Pick<V>(acts, cost0[i] - before, zero);
      sum1 = sum1 + Pick<V>(acts, cost1[i], zero);
      sum2 = sum2 + Pick<V>(acts, cost2[i], zero);
      cost = cost - Pick<V>(acts, zero, before);
    }
    LinePoint<V> p;
    p.alpha = alpha;
    p.cost = cost + (alpha * alpha * sum2 + alpha * sum1 + sum0);
    p.slope = 2 * alpha * sum2 + sum1;
    p.curvature = 2 * sum2;
    p.curvature = Pick<V>(p.curvature <= 0, All<V>(mjMINVAL), p.curvature);
    return p;
  }
};

}  // namespace parallel_pool::mujoco::lanes
