// Newton's method for the forces of constraints, for several envs at once: mj_solNewton.
//
// A lane that is done, or has no rows, goes along: it adds exact zeros, and its results are not
// picked.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/cholesky.h"
#include "parallel_pool/envs/mujoco/lanes/inertia.h"
#include "parallel_pool/envs/mujoco/lanes/line_search.h"

namespace parallel_pool::mujoco::lanes {

template <int kNv, class V>
class Newton {
 public:
  static constexpr int kSize = kNv > 0 ? kNv : kMaxDofs;

  // Sets qacc and qfrc_constraint of the lanes in `live`, which have rows. Returns the lanes whose
  // Hessian has lost its accuracy: their results are not valid.
  unsigned Run(unsigned live, const StepModel& m, ConstraintRows<kNv, V>& rows, World<V>& w) {
    m_ = &m;
    rows_ = &rows;
    w_ = &w;
    search_.size = rows.size;
    hessian_.nv = m.nv;
    for (int& n : iterations) n = 0;
    FindReferences<kNv, V>(w.qvel, rows);
    Begin(live);
    const unsigned poor = Iterate(live);
    const Mask<V> mask = MaskOf<V>(live);
    for (int v = 0; v < nv(); ++v) {
      w.qacc[v] = Pick<V>(mask, qacc_[v], w.qacc_smooth[v]);
      w.qfrc_constraint[v] = Pick<V>(mask, force_[v], All<V>(0));
    }
    return poor & live;
  }

  int iterations[kLanesOf<V>];

 private:
  int nv() const { return kNv > 0 ? kNv : m_->nv; }
  static V Positive(V x) { return Pick<V>(x > 0, x, All<V>(0)); }
  V Product(const V* x, const V* y) const {
    return Dot<V>(nv(), [=](int k) { return x[k]; }, [=](int k) { return y[k]; });
  }

  // Sets the forces of rows with these residuals, and which rows act. Returns their cost.
  V FindForces(const V* residual) {
    const V zero = All<V>(0);
    V cost = zero;
    for (int i = 0; i < rows_->size; ++i) {
      const V r = residual[i], D = rows_->D[i];
      const Mask<V> acts = r < 0;
      rows_->force[i] = Pick<V>(acts, -D * r, zero);
      acts_[i] = Bits<V>(acts);
      cost = cost + Pick<V>(acts, 0.5 * D * r * r, zero);
    }
    return cost;
  }

  // The forces on dofs, and the gradient of the cost.
  void FindGradient() {
    FindForcesOnDofs(*rows_, force_);
    for (int v = 0; v < nv(); ++v) gradient_[v] = inertia_[v] - w_->qfrc_smooth[v] - force_[v];
  }

  // Begins with the warm start, or with the acceleration without constraints if that costs less.
  void Begin(unsigned live) {
    const World<V>& w = *w_;
    V smooth[kMaxRows], warm[kMaxRows];  // residuals
    for (int i = 0; i < rows_->size; ++i) {
      smooth[i] = rows_->Times(i, w.qacc_smooth) - rows_->aref[i];
      warm[i] = rows_->Times(i, w.qacc_warmstart) - rows_->aref[i];
    }
    TimesInertia(*m_, w.M, w.qacc_warmstart, inertia_);
    V cost = FindForces(warm);
    for (int v = 0; v < nv(); ++v) {
      cost =
          cost + 0.5 * (inertia_[v] - w.qfrc_smooth[v]) * (w.qacc_warmstart[v] - w.qacc_smooth[v]);
    }
    const Mask<V> is_cold = cost > FindForces(smooth);
    const bool any_is_cold = (Bits<V>(is_cold) & live) != 0;
    V of_smooth[kSize];
    if (any_is_cold) TimesInertia(*m_, w.M, w.qacc_smooth, of_smooth);
    for (int v = 0; v < nv(); ++v) {
      qacc_[v] = Pick<V>(is_cold, w.qacc_smooth[v], w.qacc_warmstart[v]);
      if (any_is_cold) inertia_[v] = Pick<V>(is_cold, of_smooth[v], inertia_[v]);
    }
    for (int i = 0; i < rows_->size; ++i) {
      search_.residual[i] = Pick<V>(is_cold, smooth[i], warm[i]);
    }
    FindForces(search_.residual);
    FindGradient();
  }

  void FindHessian() {
    const V zero = All<V>(0);
    V(&a)[kSize][kSize] = hessian_.a;
    for (int j = 0; j < nv(); ++j) {
      for (int i = j; i < nv(); ++i) a[j][i] = zero;
    }
    for (int i = 0; i < rows_->size; ++i) {
      if (acts_[i] == 0) continue;
      const V D = Pick<V>(search_.residual[i] < 0, rows_->D[i], zero);
      if (i < rows_->num_limits) {
        V& diagonal = a[rows_->dof[i]][rows_->dof[i]];
        diagonal = diagonal + D;
        continue;
      }
      int dofs[kSize], n = 0;
      V scaled[kSize];
      for (unsigned left = rows_->dofs[i]; left != 0; left &= left - 1) {
        dofs[n] = __builtin_ctz(left);
        scaled[n] = rows_->J[i][dofs[n]] * D;
        ++n;
      }
      for (int p = 0; p < n; ++p) {
        V* const column = a[dofs[p]];
        const V x = rows_->J[i][dofs[p]];
        for (int q = p; q < n; ++q) column[dofs[q]] = column[dofs[q]] + scaled[q] * x;
      }
    }
    for (int i = 0; i < nv(); ++i) {
      for (int e = m_->row[i]; e < m_->row[i] + m_->row_size[i]; ++e) {
        V& element = a[m_->column[e]][i];
        element = element + w_->M[e];
      }
    }
  }

  // Adds row i to the factor of the Hessian where it now acts, and subtracts it where it no longer
  // does. Returns the lanes in which that fails.
  unsigned UpdateHessian(int i, unsigned changed) {
    const V scale = Pick<V>(MaskOf<V>(changed), Sqrt<V>(rows_->D[i]), All<V>(0));
    const V sign = Pick<V>(MaskOf<V>(acts_[i]), All<V>(1), All<V>(-1));
    V x[kSize];
    int first;
    if (i < rows_->num_limits) {
      first = rows_->dof[i];
      for (int v = first + 1; v < nv(); ++v) x[v] = All<V>(0);
      x[first] = rows_->sign[i] * scale;
    } else {
      first = __builtin_ctz(rows_->dofs[i]);
      for (int v = first; v < nv(); ++v) x[v] = rows_->J[i][v] * scale;
    }
    return hessian_.Update(x, sign, first) & changed;
  }

  // The best step along `direction_`, and the cost that it saves.
  void FindStep(unsigned live, V& step, V& saved) {
    step = saved = All<V>(0);
    const V length = Sqrt<V>(Product(direction_, direction_));
    live &= ~Bits<V>(length < mjMINVAL);
    if (live == 0) return;
    const V slack = (m_->tolerance * m_->line_search_tolerance) * length / scale_;
    TimesInertia(*m_, w_->M, direction_, direction_inertia_);
    for (int i = 0; i < rows_->size; ++i) {
      const V r = search_.residual[i], D = rows_->D[i];
      const V change = rows_->Times(i, direction_), weighted = D * r;
      search_.change[i] = change;
      search_.cost0[i] = r * weighted * 0.5;
      search_.cost1[i] = change * weighted;
      search_.cost2[i] = change * D * change * 0.5;
    }
    search_.smooth1 = Product(direction_, inertia_) - Product(w_->qfrc_smooth, direction_);
    search_.smooth2 = 0.5 * Product(direction_, direction_inertia_);
    search_.Run(live, slack, m_->line_search_iterations, step, saved);
  }

  unsigned IsFlat() const {
    return Bits<V>(scale_ * Sqrt<V>(Product(gradient_, gradient_)) < m_->tolerance);
  }
  // The lanes whose cost can fall only by less than the tolerance, judged by a Newton step.
  unsigned IsNearMinimum() const {
    return Bits<V>(Positive(0.5 * scale_ * Product(gradient_, newton_)) < m_->tolerance);
  }

  unsigned Iterate(unsigned live) {
    const World<V>& w = *w_;
    V trace = All<V>(0);
    for (int v = 0; v < nv(); ++v) trace = trace + w.M[m_->row[v] + m_->row_size[v] - 1];
    scale_ = 1 / trace;
    for (int v = 0; v < nv(); ++v) newton_[v] = gradient_[v];
    Solve(*m_, w.qLD, w.qLDiagInv, newton_);
    const unsigned flat = IsFlat();
    live &= ~(flat & IsNearMinimum());
    if (live == 0) return 0;
    FindHessian();
    hessian_.Factor();
    hessian_.Solve(gradient_, newton_);
    live &= ~(flat & IsNearMinimum());
    unsigned poor = 0;
    for (int n = 0; live != 0 && n < m_->iterations; ++n) {
      for (int v = 0; v < nv(); ++v) direction_[v] = newton_[v] * -1;
      V step, saved;
      FindStep(live, step, saved);
      live &= Bits<V>(step != 0);
      if (live == 0) break;
      poor |= Take(live, step);
      hessian_.Solve(gradient_, newton_);
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
    for (int v = 0; v < nv(); ++v) {
      qacc_[v] = Pick<V>(mask, qacc_[v] + direction_[v] * step, qacc_[v]);
      inertia_[v] = Pick<V>(mask, inertia_[v] + direction_inertia_[v] * step, inertia_[v]);
    }
    unsigned before[kMaxRows], poor = 0;
    for (int i = 0; i < rows_->size; ++i) {
      V& r = search_.residual[i];
      r = Pick<V>(mask, r + search_.change[i] * step, r);
      before[i] = acts_[i];
    }
    FindForces(search_.residual);
    FindGradient();
    for (int i = 0; i < rows_->size; ++i) {
      const unsigned changed = (acts_[i] ^ before[i]) & live;
      if (changed != 0) poor |= UpdateHessian(i, changed);
    }
    return poor;
  }

  const StepModel* m_;
  ConstraintRows<kNv, V>* rows_;
  World<V>* w_;
  LineSearch<V> search_;
  Cholesky<kNv, V> hessian_;
  unsigned acts_[kMaxRows];  // the lanes in which a row acts
  V scale_;                  // of costs: 1 / the trace of M
  V qacc_[kSize], force_[kSize], gradient_[kSize], newton_[kSize];
  V inertia_[kSize];  // M qacc
  V direction_[kSize], direction_inertia_[kSize];
};

}  // namespace parallel_pool::mujoco::lanes
