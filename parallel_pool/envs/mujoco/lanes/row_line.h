// A line along which Newton's method searches, of rows of constraints. The cost of a row that only
// pushes is piecewise quadratic: it costs where its acceleration is below the reference.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/line_search.h"

namespace parallel_pool::mujoco::lanes {

// See LineSearch.
template <class V, int kMost, class Line>
class RowLine : public LineSearch<V, Line> {
 public:
  // Each row's residual at the start, its change by the direction, and the coefficients of
  // its cost.
  V residual[kMost], change[kMost];
  V cost0[kMost], cost1[kMost], cost2[kMost];
  V smooth1, smooth2;  // linear and quadratic coefficients of the cost without constraints

  // Sets the change of row i, and its cost.
  void SetChange(int i, const V& D, const V& by) {
    const V r = residual[i], weighted = D * r;
    change[i] = by;
    cost0[i] = r * weighted * 0.5;
    cost1[i] = by * weighted;
    cost2[i] = by * D * by * 0.5;
  }

 protected:
  // The sums over all rows at alpha.
  struct Sums {
    V cost, sum0, sum1, sum2;

    // Adds a row that only pushes.
    void Add(const RowLine& line, int i, const V& alpha) {
      const V zero = All<V>(0), *const cost0 = line.cost0;
      const V before = Pick<V>(line.residual[i] < 0, cost0[i], zero);
      const Mask<V> acts = line.residual[i] + alpha * line.change[i] < 0;
      sum0 = sum0 + Pick<V>(acts, cost0[i] - before, zero);
      sum1 = sum1 + Pick<V>(acts, line.cost1[i], zero);
      sum2 = sum2 + Pick<V>(acts, line.cost2[i], zero);
      cost = cost - Pick<V>(acts, zero, before);
    }
    // Their point. The slope and the curvature are those of other rows.
    LinePoint<V> At(const V& alpha, const V& slope, const V& curvature) const {
      LinePoint<V> p;
      p.alpha = alpha;
      p.cost = cost + (alpha * alpha * sum2 + alpha * sum1 + sum0);
      p.slope = slope + (2 * alpha * sum2 + sum1);
      p.curvature = curvature + 2 * sum2;
      p.curvature = Pick<V>(p.curvature <= 0, All<V>(mjMINVAL), p.curvature);
      return p;
    }
  };
  Sums NoRows() const { return {All<V>(0), All<V>(0), smooth1, smooth2}; }
};

}  // namespace parallel_pool::mujoco::lanes
