// Newton's method for an island of several envs at once: mj_solNewton with rows of every kind.
//
// A lane that is done goes along: its results are not picked.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/cones.h"
#include "parallel_pool/envs/mujoco/lanes/line_search.h"

namespace parallel_pool::mujoco::lanes {

// The line along which it searches: the cost of the island's rows.
template <class V>
class IslandLine : public LineSearch<V, IslandLine<V>> {
 public:
  // Each row's residual at the start, its change by the direction, and the coefficients of
  // its cost.
  V residual[kMostRows], change[kMostRows];
  V cost0[kMostRows], cost1[kMostRows], cost2[kMostRows];
  V smooth1, smooth2;  // linear and quadratic coefficients of the cost without constraints
  ConeLine<V> cones[kMostRows];  // of the normals of cones
  const Island<V>* island;

  LinePoint<V> Evaluate(V alpha) const {
    const V zero = All<V>(0);
    V cost = zero, sum0 = zero, sum1 = smooth1, sum2 = smooth2;
    V slope = zero, curvature = zero;  // of cones
    for (int i = 0; i < island->size; ++i) {
      if (island->kind(i) == RowKind::kEquality) {
        sum1 = sum1 + cost1[i];
        sum2 = sum2 + cost2[i];
        continue;
      }
      if (island->kind(i) == RowKind::kFriction) {
        AddFriction(i, alpha, cost, slope, curvature);
        continue;
      }
      if (island->kind(i) == RowKind::kCone) {
        cones[i].Add(alpha, cost, slope, curvature);
        i += island->ConeSize(i) - 1;
        continue;
      }
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
    p.slope = slope + (2 * alpha * sum2 + sum1);
    p.curvature = curvature + 2 * sum2;
    p.curvature = Pick<V>(p.curvature <= 0, All<V>(mjMINVAL), p.curvature);
    return p;
  }

 private:
  // Adds what row i, a loss by friction, costs at alpha, relative to 0: Huber's function.
  void AddFriction(int i, const V& alpha, V& cost, V& slope, V& curvature) const {
    const V f = island->loss[i], D = island->D[i], bound = island->R[i] * f;
    const V from = residual[i], by = change[i], to = from + alpha * by;
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

template <class V>
class IslandNewton {
 public:
  // Solves the island from the accelerations `start` (of all dofs). Sets qacc, qfrc_constraint and
  // the forces of its rows; `iterations` are those of each lane. Returns the lanes whose Hessian
  // has lost its accuracy: their results are not valid.
  unsigned Run(const StepModel& m, Island<V>& island, const V* start, World<V>& w) {
    m_ = &m;
    search_.island = island_ = &island;
    w_ = &w;
    hessian_.nv = island.nv;
    for (int& n : iterations) n = 0;
    island.Gather(start, qacc_);
    island.Gather(w.qfrc_smooth, smooth_);
    island.TimesInertia(m, w, qacc_, inertia_);
    for (int i = 0; i < island.size; ++i) {
      search_.residual[i] = island.Times(i, qacc_) - island.aref[i];
    }
    FindForces(island, search_.residual, acts_);
    FindGradient();
    const unsigned poor = Iterate(island.lanes);
    const Mask<V> mask = MaskOf<V>(island.lanes);
    island.Scatter(qacc_, mask, w.qacc);
    island.Scatter(force_, mask, w.qfrc_constraint);
    return poor;
  }

  // Sets the forces of rows with these residuals, and the lanes in which each row acts by itself.
  // Returns their cost.
  V FindForces(Island<V>& rows, const V* residual, unsigned* acts) {
    const V zero = All<V>(0);
    V cost = zero;
    for (int i = 0; i < rows.size; ++i) {
      if (rows.kind(i) == RowKind::kCone) {
        i += cones_.FindForces(rows, i, residual, acts, cost) - 1;
        continue;
      }
      const V r = residual[i], D = rows.D[i], quadratic = 0.5 * D * r * r;
      if (rows.kind(i) == RowKind::kEquality) {
        rows.force[i] = -D * r;
        acts[i] = ~0u;
        cost = cost + quadratic;
        continue;
      }
      if (rows.kind(i) == RowKind::kFriction) {
        const V R = rows.R[i], f = rows.loss[i], bound = R * f, base = -0.5 * R * f * f;
        const Mask<V> is_low = r <= -bound, is_high = r >= bound;
        rows.force[i] = Pick<V>(is_low, f, Pick<V>(is_high, -f, -D * r));
        cost = cost + Pick<V>(is_low, base - f * r, Pick<V>(is_high, base + f * r, quadratic));
        acts[i] = ~(Bits<V>(is_low) | Bits<V>(is_high));
        continue;
      }
      const Mask<V> pushes = r < 0;
      rows.force[i] = Pick<V>(pushes, -D * r, zero);
      acts[i] = Bits<V>(pushes);
      cost = Pick<V>(pushes, cost + quadratic, cost);
    }
    return cost;
  }

  int iterations[kLanesOf<V>];

 private:
  static V Positive(V x) { return Pick<V>(x > 0, x, All<V>(0)); }
  V Length(const V* x) const { return Sqrt<V>(island_->Product(x, x)); }

  void FindGradient() {
    island_->FindForcesOnDofs(force_);
    for (int v = 0; v < island_->nv; ++v) gradient_[v] = inertia_[v] - smooth_[v] - force_[v];
  }

  void FindHessian() {
    const V zero = All<V>(0);
    V(&a)[kMaxDofs][kMaxDofs] = hessian_.a;
    for (int j = 0; j < island_->nv; ++j) {
      for (int i = j; i < island_->nv; ++i) a[j][i] = zero;
    }
    for (int i = 0; i < island_->size; ++i) {
      if (acts_[i] == 0) continue;
      const V D = Pick<V>(MaskOf<V>(acts_[i]), island_->D[i], zero);
      if (const int v = island_->unit(i); v >= 0) {
        a[v][v] = a[v][v] + D;
        continue;
      }
      int place[kMaxDofs], size = 0;
      V scaled[kMaxDofs];
      const V* const J = island_->J(i);
      for (uint64_t left = island_->dofs(i); left != 0; left &= left - 1) {
        place[size] = __builtin_ctzll(left);
        scaled[size] = J[place[size]] * D;
        ++size;
      }
      for (int p = 0; p < size; ++p) {
        V* const column = a[place[p]];
        const V x = J[place[p]];
        for (int q = p; q < size; ++q) column[place[q]] = column[place[q]] + scaled[q] * x;
      }
    }
    island_->AddInertia(*m_, *w_, a);
  }

  void FindNewtonStep() {
    if (!cones_.AnyIsMiddle(*island_)) return hessian_.Solve(gradient_, newton_);
    with_cones_.nv = hessian_.nv;
    for (int j = 0; j < hessian_.nv; ++j) {
      for (int i = j; i < hessian_.nv; ++i) with_cones_.a[j][i] = hessian_.a[j][i];
    }
    cones_.AddTo(*island_, with_cones_);
    with_cones_.Solve(gradient_, newton_);
  }

  // Adds rows to the factor of the Hessian where they now act, and subtracts them where they no
  // longer do: each lane's rows in their order, those of all lanes at the same time. Returns the
  // lanes in which that fails.
  unsigned UpdateHessian(const unsigned* before, unsigned live) {
    constexpr int kLanes = kLanesOf<V>;
    int changed[kLanes][kMostRows], size[kLanes] = {}, most = 0;
    for (int i = 0; i < island_->size; ++i) {
      if (island_->dofs(i) == 0) continue;
      ForEachLane((acts_[i] ^ before[i]) & live, [&](int k) {
        changed[k][size[k]++] = i;
        if (size[k] > most) most = size[k];
      });
    }
    unsigned poor = 0;
    for (int n = 0; n < most; ++n) {
      V x[kMaxDofs], sign = All<V>(0);
      unsigned lanes = 0;
      int first = island_->nv;
      for (int v = 0; v < island_->nv; ++v) x[v] = All<V>(0);
      for (int k = 0; k < kLanes; ++k) {
        if (n >= size[k]) continue;
        const int i = changed[k][n];
        lanes |= 1u << k;
        At(sign, k) = acts_[i] >> k & 1 ? 1 : -1;
        const double scale = __builtin_sqrt(At(island_->D[i], k));
        const int begin = __builtin_ctzll(island_->dofs(i));
        if (begin < first) first = begin;
        if (island_->unit(i) >= 0) {
          At(x[begin], k) = At(island_->sign(i), k) * scale;
          continue;
        }
        for (uint64_t left = island_->dofs(i); left != 0; left &= left - 1) {
          const int v = __builtin_ctzll(left);
          At(x[v], k) = At(island_->J(i)[v], k) * scale;
        }
      }
      poor |= hessian_.Update(x, sign, first) & lanes;
    }
    return poor;
  }

  // The best step along `direction_`, and the cost that it saves.
  void FindStep(unsigned live, V& step, V& saved) {
    step = saved = All<V>(0);
    const V length = Length(direction_);
    live &= ~Bits<V>(length < mjMINVAL);
    if (live == 0) return;
    const V slack = (m_->tolerance * m_->line_search_tolerance) * length / scale_;
    island_->TimesInertia(*m_, *w_, direction_, direction_inertia_);
    for (int i = 0; i < island_->size; ++i) {
      const V r = search_.residual[i], D = island_->D[i];
      const V change = island_->Times(i, direction_), weighted = D * r;
      search_.change[i] = change;
      search_.cost0[i] = r * weighted * 0.5;
      search_.cost1[i] = change * weighted;
      search_.cost2[i] = change * D * change * 0.5;
    }
    for (int i = 0; island_->has_cones && i < island_->size; ++i) {
      if (island_->kind(i) != RowKind::kCone) continue;
      search_.cones[i] = ConeLine<V>(*island_, i, search_.residual, search_.change);
    }
    search_.smooth1 =
        island_->Product(direction_, inertia_) - island_->Product(smooth_, direction_);
    search_.smooth2 = 0.5 * island_->Product(direction_, direction_inertia_);
    search_.Run(live, slack, m_->line_search_iterations, step, saved);
  }

  unsigned IsFlat() const { return Bits<V>(scale_ * Length(gradient_) < m_->tolerance); }
  // The lanes whose cost can fall only by less than the tolerance, judged by a Newton step.
  unsigned IsNearMinimum() const {
    return Bits<V>(Positive(0.5 * scale_ * island_->Product(gradient_, newton_)) < m_->tolerance);
  }

  unsigned Iterate(unsigned live) {
    scale_ = 1 / island_->Trace(*m_, *w_);
    for (int v = 0; v < island_->nv; ++v) newton_[v] = gradient_[v];
    island_->SolveInertia(*m_, *w_, newton_);
    const unsigned flat = IsFlat();
    live &= ~(flat & IsNearMinimum());
    if (live == 0) return 0;
    FindHessian();
    hessian_.Factor();
    FindNewtonStep();
    live &= ~(flat & IsNearMinimum());
    unsigned poor = 0;
    for (int n = 0; live != 0 && n < m_->iterations; ++n) {
      for (int v = 0; v < island_->nv; ++v) direction_[v] = newton_[v] * -1;
      V step, saved;
      FindStep(live, step, saved);
      live &= Bits<V>(step != 0);
      if (live == 0) break;
      poor |= Take(live, step);
      FindNewtonStep();
      const V improvement = scale_ * saved;
      const unsigned stalls = Bits<V>(improvement > 0) & Bits<V>(improvement < m_->tolerance);
      ForEachLane(live, [&](int k) { ++iterations[k]; });
      live &= ~(stalls | IsFlat() | IsNearMinimum() | poor);
    }
    return poor;
  }

  // Takes a step in the lanes of `live`. Returns the lanes whose Hessian has lost its accuracy.
  unsigned Take(unsigned live, const V& step) {
    const Mask<V> mask = MaskOf<V>(live);
    for (int v = 0; v < island_->nv; ++v) {
      qacc_[v] = Pick<V>(mask, qacc_[v] + direction_[v] * step, qacc_[v]);
      inertia_[v] = Pick<V>(mask, inertia_[v] + direction_inertia_[v] * step, inertia_[v]);
    }
    unsigned before[kMostRows];
    for (int i = 0; i < island_->size; ++i) {
      V& r = search_.residual[i];
      r = Pick<V>(mask, r + search_.change[i] * step, r);
      before[i] = acts_[i];
    }
    FindForces(*island_, search_.residual, acts_);
    FindGradient();
    return UpdateHessian(before, live);
  }

  const StepModel* m_;
  Island<V>* island_;
  World<V>* w_;
  IslandLine<V> search_;
  Cholesky<0, V> hessian_, with_cones_;  // the second: for a step, with cones in the middle zone
  Cones<V> cones_;
  unsigned acts_[kMostRows];  // the lanes in which a row acts
  V scale_;                   // of costs: 1 / the trace of M
  V qacc_[kMaxDofs], smooth_[kMaxDofs], force_[kMaxDofs], gradient_[kMaxDofs], newton_[kMaxDofs];
  V inertia_[kMaxDofs];  // M qacc
  V direction_[kMaxDofs], direction_inertia_[kMaxDofs];
};

}  // namespace parallel_pool::mujoco::lanes
