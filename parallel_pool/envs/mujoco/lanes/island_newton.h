// Newton's method for an island of several envs at once: mj_solNewton with rows of every kind.
//
// A lane that is done goes along: its results are not picked.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/island_line.h"
#include "parallel_pool/envs/mujoco/lanes/newton_iterations.h"
#include "parallel_pool/envs/mujoco/lanes/sparse_cholesky.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class IslandNewton : public NewtonIterations<V, IslandNewton<V>> {
 public:
  // Solves the island from the accelerations `start` (of all dofs). Sets qacc, qfrc_constraint and
  // the forces of its rows; `iterations` are those of each lane. Returns the lanes whose Hessian
  // has lost its accuracy: their results are not valid.
  unsigned Run(const StepModel& m, Island<V>& island, const V* start, World<V>& w) {
    m_ = &m;
    search_.island = island_ = &island;
    w_ = &w;
    for (int& n : this->iterations) n = 0;
    island.Gather(start, qacc_);
    island.Gather(w.qfrc_smooth, smooth_);
    island.TimesInertia(m, w, qacc_, inertia_);
    for (int i = 0; i < island.size; ++i) {
      search_.residual[i] = island.Times(i, qacc_) - island.aref[i];
    }
    FindForces(island, search_.residual, acts_);
    FindGradient();
    const unsigned poor = this->Iterate(m, island.lanes);
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

 private:
  friend NewtonIterations<V, IslandNewton>;

  V Length(const V* x) const { return Sqrt<V>(island_->Product(x, x)); }

  void FindGradient() {
    island_->FindForcesOnDofs(force_);
    for (int v = 0; v < island_->nv; ++v) gradient_[v] = inertia_[v] - smooth_[v] - force_[v];
  }

  // Finds the Hessian, and its factor.
  void FindHessian() {
    if (m_->is_sparse) {
      sparse_hessian_.Begin(*m_, *island_);
      FindHessian(sparse_hessian_);
      sparse_hessian_.Factor(island_->lanes);
      for (int& n : removed_) n = 0;
    } else {
      hessian_.Begin(island_->nv);
      FindHessian(hessian_);
      hessian_.Factor();
    }
  }
  template <class Hessian>
  void FindHessian(Hessian& h) {
    for (int i = 0; i < island_->size; ++i) {
      if (acts_[i] != 0) AddRow(h, i, Pick<V>(MaskOf<V>(acts_[i]), island_->D[i], All<V>(0)));
    }
    island_->AddInertia(*m_, *w_, h);
  }
  // Adds D J' J of row i.
  template <class Hessian>
  void AddRow(Hessian& h, int i, const V& D) {
    if (const int v = island_->unit(i); v >= 0) {
      h(v, v) = h(v, v) + D;
      return;
    }
    int place[kMaxDofs], size = 0;
    V scaled[kMaxDofs];
    const V* const J = island_->J(i);
    island_->dofs(i).ForEach([&](int v) {
      place[size] = v;
      scaled[size++] = J[v] * D;
    });
    for (int p = 0; p < size; ++p) {
      const int column = place[p];
      const V x = J[column];
      for (int q = p; q < size; ++q) {
        V& element = h(place[q], column);
        element = element + scaled[q] * x;
      }
    }
  }

  void FindNewtonStep() {
    if (m_->is_sparse) return sparse_hessian_.Solve(gradient_, newton_);
    if (!cones_.AnyIsMiddle(*island_)) return hessian_.Solve(gradient_, newton_);
    with_cones_.CopyFrom(hessian_);
    cones_.AddTo(*island_, with_cones_);
    with_cones_.Solve(gradient_, newton_);
  }

  // Adds rows to the factor of the Hessian where they now act, and subtracts them where they no
  // longer do: each lane's rows in their order, those of all lanes at the same time. Returns the
  // lanes in which that fails.
  unsigned UpdateHessian(const unsigned* before, unsigned live) {
    constexpr int kLanes = kLanesOf<V>;
    unsigned poor = 0;
    if (kIsMujoco4 && m_->is_sparse) live &= ~Refactor(before, live, poor);
    int changed[kLanes][kMostRows], size[kLanes] = {}, most = 0;
    for (int i = 0; i < island_->size; ++i) {
      if (island_->dofs(i).empty()) continue;
      ForEachLane((acts_[i] ^ before[i]) & live, [&](int k) {
        changed[k][size[k]++] = i;
        if (size[k] > most) most = size[k];
      });
    }
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
        const int begin = island_->dofs(i).First();
        if (begin < first) first = begin;
        if (island_->unit(i) >= 0) {
          At(x[begin], k) = At(island_->sign(i), k) * scale;
          continue;
        }
        island_->dofs(i).ForEach([&](int v) { At(x[v], k) = At(island_->J(i)[v], k) * scale; });
      }
      poor |= lanes & (m_->is_sparse ? sparse_hessian_.Update(x, sign, first)
                                     : hessian_.Update(x, sign, first));
    }
    return poor;
  }

  // MuJoCo 4 changes the sparse matrix with its factor. It makes the factor again where that costs
  // less than to change it. Returns the lanes in which it does, and adds to `poor` those in which
  // that fails, or in which it makes the matrix itself again, which is rare.
  unsigned Refactor(const unsigned* before, unsigned live, unsigned& poor) {
    constexpr int kLanes = kLanesOf<V>, kMostRemoved = 31, kLeastWork = 4097;
    int64_t paths[kLanes] = {};
    int removed[kLanes] = {};
    for (int i = 0; i < island_->size; ++i) {
      const unsigned changed = (acts_[i] ^ before[i]) & live & island_->own(i);
      if (changed == 0 || island_->dofs(i).empty()) continue;
      const int last = island_->dofs(i).Last();
      ForEachLane(changed, [&](int k) { paths[k] += sparse_hessian_.pattern(k).path[last]; });
      ForEachLane(changed & before[i], [&](int k) { ++removed[k]; });
      const V D = Pick<V>(MaskOf<V>(acts_[i]), island_->D[i], -island_->D[i]);
      AddRow(sparse_hessian_, i, Pick<V>(MaskOf<V>(changed), D, All<V>(0)));
    }
    unsigned stale = 0, costly = 0;
    ForEachLane(live, [&](int k) {
      const int work = sparse_hessian_.pattern(k).work;
      removed_[k] += removed[k];
      if (removed[k] > 0 && removed_[k] > kMostRemoved) stale |= 1u << k;
      if (work >= kLeastWork && 10 * paths[k] > 3 * work) costly |= 1u << k;
    });
    poor |= stale;
    if (costly != 0) poor |= sparse_hessian_.Factor(costly);
    return costly | stale;
  }

  // The best step along `direction_`, and the cost that it saves.
  void FindStep(unsigned live, V& step, V& saved) {
    for (int v = 0; v < island_->nv; ++v) direction_[v] = newton_[v] * -1;
    step = saved = All<V>(0);
    const V length = Length(direction_);
    live &= ~Bits<V>(length < mjMINVAL);
    if (live == 0) return;
    const V slack = (m_->tolerance * m_->line_search_tolerance) * length / this->scale;
    island_->TimesInertia(*m_, *w_, direction_, direction_inertia_);
    for (int i = 0; i < island_->size; ++i) {
      search_.SetChange(i, island_->D[i], island_->Times(i, direction_));
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

  // See NewtonIterations.
  V Trace() const { return island_->Trace(*m_, *w_); }
  V LengthOfGradient() const { return Length(gradient_); }
  V Gain() const { return island_->Product(gradient_, newton_); }
  void FindStepByInertia() {
    for (int v = 0; v < island_->nv; ++v) newton_[v] = gradient_[v];
    island_->SolveInertia(*m_, *w_, newton_);
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
  SparseCholesky<V> sparse_hessian_;     // of models with sparse rows, which have no cones
  Cones<V> cones_;
  int removed_[kLanesOf<V>];  // rows that left the sparse Hessian of each lane
  unsigned acts_[kMostRows];  // the lanes in which a row acts
  V qacc_[kMaxDofs], smooth_[kMaxDofs], force_[kMaxDofs], gradient_[kMaxDofs], newton_[kMaxDofs];
  V inertia_[kMaxDofs];  // M qacc
  V direction_[kMaxDofs], direction_inertia_[kMaxDofs];
};

}  // namespace parallel_pool::mujoco::lanes
