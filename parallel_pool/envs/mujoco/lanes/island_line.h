// The line along which Newton's method searches for an island: the cost of rows of every kind.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/cones.h"
#include "parallel_pool/envs/mujoco/lanes/row_line.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class IslandLine : public RowLine<V, kMostRows, IslandLine<V>> {
 public:
  ConeLine<V> cones[kMostRows];  // of the normals of cones
  const Island<V>* island;

  LinePoint<V> Evaluate(V alpha) const {
    auto sums = this->NoRows();
    V slope = All<V>(0), curvature = slope;  // of losses by friction, and of cones
    for (int i = 0; i < island->size; ++i) {
      switch (island->kind(i)) {
        case RowKind::kEquality:
          sums.sum1 = sums.sum1 + this->cost1[i];
          sums.sum2 = sums.sum2 + this->cost2[i];
          break;
        case RowKind::kFriction:
          AddFriction(i, alpha, sums.cost, slope, curvature);
          break;
        case RowKind::kCone:
          cones[i].Add(alpha, sums.cost, slope, curvature);
          i += island->ConeSize(i) - 1;
          break;
        default:
          sums.Add(*this, i, alpha);
      }
    }
    return sums.At(alpha, slope, curvature);
  }

 private:
  // Adds what row i, a loss by friction, costs at alpha, relative to 0: Huber's function.
  void AddFriction(int i, const V& alpha, V& cost, V& slope, V& curvature) const {
    const V f = island->loss[i], D = island->D[i], bound = island->R[i] * f;
    const V from = this->residual[i], by = this->change[i], to = from + alpha * by;
    const Mask<V> was_inside = (-bound < from) & (from < bound), was_low = from <= -bound;
    const Mask<V> is_inside = (-bound < to) & (to < bound), is_low = to <= -bound;
    const Mask<V> was_high = from >= bound, is_high = to >= bound;
    const auto huber = [&](const V& x, const Mask<V>& inside, const Mask<V>& low) {
      return Pick<V>(inside, 0.5 * D * x * x,
                     Pick<V>(low, f * (-0.5 * bound - x), f * (-0.5 * bound + x)));
    };
    const V between = huber(to, is_inside, is_low) - huber(from, was_inside, was_low);
    const V same_side = Pick<V>(was_low & is_low, f * (from - to),
                                Pick<V>(was_high & is_high, f * (to - from), between));
    cost = cost + Pick<V>(was_inside & is_inside, 0.5 * D * (to - from) * (to + from), same_side);
    slope = slope + Pick<V>(is_inside, D * to * by, Pick<V>(is_low, -f * by, f * by));
    curvature = Pick<V>(is_inside, curvature + D * by * by, curvature);
  }
};

}  // namespace parallel_pool::mujoco::lanes
