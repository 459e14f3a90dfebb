// Newton's method for the forces of constraints, for several envs at once: mj_solNewton, for each
// tree of bodies.
//
// A lane that is done, or has no rows, goes along: it adds exact zeros, and its results are not
// picked.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/cholesky.h"
#include "parallel_pool/envs/mujoco/lanes/inertia.h"
#include "parallel_pool/envs/mujoco/lanes/newton_iterations.h"
#include "parallel_pool/envs/mujoco/lanes/row_line.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class TreeLine : public RowLine<V, kMaxRows, TreeLine<V>> {
 public:
  int size;

  LinePoint<V> Evaluate(V alpha) const {
    auto sums = this->NoRows();
    for (int i = 0; i < size; ++i) sums.Add(*this, i, alpha);
    return sums.At(alpha, All<V>(0), All<V>(0));
  }
};

template <int kNv, class V>
class Newton : public NewtonIterations<V, Newton<kNv, V>> {
 public:
  static constexpr int kSize = kNv > 0 ? kNv : kMaxDofs;

  // Sets qacc and qfrc_constraint where there are rows of constraints. Returns the lanes whose
  // Hessian has lost its accuracy: their results are not valid.
  unsigned Run(const StepModel& m, ConstraintRows<kNv, V>& rows, World<V>& w) {
    m_ = &m;
    rows_ = &rows;
    w_ = &w;
    for (int& n : this->iterations) n = 0;
    FindReferences<kNv, V>(w.qvel, rows);
    Choose(rows.LanesOf(rows.all()));
    unsigned poor = 0;
    for (int t = 0; t < (kNv > 0 ? 1 : m.ntree); ++t) {
      const unsigned live = rows.LanesOf(rows.trees[t]);
      if (live != 0) poor |= live & RunTree(live, t);
    }
    return poor;
  }

 private:
  friend NewtonIterations<V, Newton>;

  // The dofs and the rows of the tree that is solved.
  DofRange dofs() const { return kNv > 0 ? DofRange{0, kNv} : dofs_; }
  int begin() const { return dofs().begin; }
  int end() const { return dofs().end; }
  int Row(int i) const { return kNv > 0 ? i : range_[i]; }
  void Solves(RowRange range, DofRange dofs) {
    range_ = range;
    dofs_ = dofs;
    search_.size = range.size();
    hessian_.nv = dofs.size();
  }

  V Length(const V* x) const { return Sqrt<V>(Product(x, x, dofs(), Blocks::kOfNorm)); }

  // Sets the forces of rows with these residuals, and which rows act. Returns their cost.
  V FindForces(const V* residual) {
    const V zero = All<V>(0);
    V cost = zero;
    for (int i = 0; i < search_.size; ++i) {
      const V r = residual[i], D = rows_->D[Row(i)];
      const Mask<V> acts = r < 0;
      rows_->force[Row(i)] = Pick<V>(acts, -D * r, zero);
      acts_[i] = Bits<V>(acts);
      cost = Pick<V>(acts, cost + 0.5 * D * r * r, cost);
    }
    return cost;
  }

  // The forces on dofs, and the gradient of the cost.
  void FindGradient() {
    FindForcesOnDofs(*rows_, range_, dofs(), force_);
    for (int v = begin(); v < end(); ++v)
      gradient_[v] = inertia_[v] - w_->qfrc_smooth[v] - force_[v];
  }

  // Chooses for all trees together: the warm start, or the acceleration without constraints if that
  // costs less.
  void Choose(unsigned live) {
    const World<V>& w = *w_;
    Solves(rows_->all(), rows_->all_dofs());
    V smooth[kMaxRows], warm[kMaxRows];  // residuals
    for (int i = 0; i < search_.size; ++i) {
      smooth[i] = rows_->Times(i, w.qacc_smooth, dofs()) - rows_->aref[i];
      warm[i] = rows_->Times(i, w.qacc_warmstart, dofs()) - rows_->aref[i];
    }
    TimesInertia(*m_, dofs(), w.M, w.qacc_warmstart, inertia_);
    V cost = FindForces(warm);
    for (int v = begin(); v < end(); ++v) {
      cost =
          cost + 0.5 * (inertia_[v] - w.qfrc_smooth[v]) * (w.qacc_warmstart[v] - w.qacc_smooth[v]);
    }
    const Mask<V> is_cold = cost > FindForces(smooth);
    const bool any_is_cold = (Bits<V>(is_cold) & live) != 0;
    V of_smooth[kSize];
    if (any_is_cold) TimesInertia(*m_, dofs(), w.M, w.qacc_smooth, of_smooth);
    for (int v = begin(); v < end(); ++v) {
      qacc_[v] = Pick<V>(is_cold, w.qacc_smooth[v], w.qacc_warmstart[v]);
      if (any_is_cold) inertia_[v] = Pick<V>(is_cold, of_smooth[v], inertia_[v]);
    }
    for (int i = 0; i < search_.size; ++i) {
      search_.residual[i] = Pick<V>(is_cold, smooth[i], warm[i]);
    }
  }

  // Solves one tree.
  unsigned RunTree(unsigned live, int t) {
    World<V>& w = *w_;
    Solves(rows_->trees[t], rows_->dofs_of(m_->trees[t]));
    // One tree's residuals are those of Choose; sums over more dofs have another order.
    for (int i = 0; m_->ntree > 1 && i < search_.size; ++i) {
      search_.residual[i] = rows_->Times(Row(i), qacc_, dofs()) - rows_->aref[Row(i)];
    }
    FindForces(search_.residual);
    FindGradient();
    const unsigned poor = this->Iterate(*m_, live);
    const Mask<V> mask = MaskOf<V>(live);
    for (int v = begin(); v < end(); ++v) {
      w.qacc[v] = Pick<V>(mask, qacc_[v], w.qacc[v]);
      w.qfrc_constraint[v] = Pick<V>(mask, force_[v], w.qfrc_constraint[v]);
    }
    return poor;
  }

  // Finds the Hessian, and its factor.
  void FindHessian() {
    const V zero = All<V>(0);
    const int first = begin(), n = dofs().size();
    V(&a)[kSize][kSize] = hessian_.a;
    for (int j = 0; j < n; ++j) {
      for (int i = j; i < n; ++i) a[j][i] = zero;
    }
    for (int i = 0; i < search_.size; ++i) {
      if (acts_[i] == 0) continue;
      const int row = Row(i);
      const V D = Pick<V>(search_.residual[i] < 0, rows_->D[row], zero);
      if (row < rows_->num_limits) {
        const int v = rows_->dof[row] - first;
        a[v][v] = a[v][v] + D;
        continue;
      }
      int place[kSize], size = 0;
      V scaled[kSize];
      const V* const J = rows_->J[row] + first;
      for (uint64_t left = rows_->dofs[row] >> first; left != 0; left &= left - 1) {
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
    for (int i = 0; i < n; ++i) {
      const int row = m_->row[first + i];
      for (int e = row; e < row + m_->row_size[first + i]; ++e) {
        V& element = a[m_->column[e] - first][i];
        element = element + w_->M[e];
      }
    }
    hessian_.Factor();
  }

  // Adds row i to the factor of the Hessian where it now acts, and subtracts it where it no longer
  // does. Returns the lanes in which that fails.
  unsigned UpdateHessian(int i, unsigned changed) {
    const int row = Row(i);
    const V scale = Pick<V>(MaskOf<V>(changed), Sqrt<V>(rows_->D[row]), All<V>(0));
    const V sign = Pick<V>(MaskOf<V>(acts_[i]), All<V>(1), All<V>(-1));
    V x[kSize];
    int first;
    if (row < rows_->num_limits) {
      first = rows_->dof[row];
      for (int v = first + 1; v < end(); ++v) x[v] = All<V>(0);
      x[first] = rows_->sign[row] * scale;
    } else {
      first = __builtin_ctzll(rows_->dofs[row]);
      for (int v = first; v < end(); ++v) x[v] = rows_->J[row][v] * scale;
    }
    return hessian_.Update(x + begin(), sign, first - begin()) & changed;
  }

  // The best step along `direction_`, and the cost that it saves.
  void FindStep(unsigned live, V& step, V& saved) {
    for (int v = begin(); v < end(); ++v) direction_[v] = newton_[v] * -1;
    step = saved = All<V>(0);
    const V length = Length(direction_);
    live &= ~Bits<V>(length < mjMINVAL);
    if (live == 0) return;
    const V slack = (m_->tolerance * m_->line_search_tolerance) * length / this->scale;
    TimesInertia(*m_, dofs(), w_->M, direction_, direction_inertia_);
    for (int i = 0; i < search_.size; ++i) {
      search_.SetChange(i, rows_->D[Row(i)], rows_->Times(Row(i), direction_, dofs()));
    }
    search_.smooth1 =
        Product(direction_, inertia_, dofs()) - Product(w_->qfrc_smooth, direction_, dofs());
    search_.smooth2 = 0.5 * Product(direction_, direction_inertia_, dofs());
    search_.Run(live, slack, m_->line_search_iterations, step, saved);
  }

  // See NewtonIterations.
  V Trace() const {
    V trace = All<V>(0);
    for (int v = begin(); v < end(); ++v) trace = trace + w_->M[m_->row[v] + m_->row_size[v] - 1];
    return trace;
  }
  V LengthOfGradient() const { return Length(gradient_); }
  V Gain() const { return Product(gradient_, newton_, dofs()); }
  void FindStepByInertia() {
    for (int v = begin(); v < end(); ++v) newton_[v] = gradient_[v];
    Solve(*m_, dofs(), w_->qLD, w_->qLDiagInv, newton_);
  }
  void FindNewtonStep() { hessian_.Solve(gradient_ + begin(), newton_ + begin()); }

  // Takes a step in the lanes of `live`. Returns the lanes whose Hessian has lost its accuracy.
  unsigned Take(unsigned live, const V& step) {
    const Mask<V> mask = MaskOf<V>(live);
    for (int v = begin(); v < end(); ++v) {
      qacc_[v] = Pick<V>(mask, qacc_[v] + direction_[v] * step, qacc_[v]);
      inertia_[v] = Pick<V>(mask, inertia_[v] + direction_inertia_[v] * step, inertia_[v]);
    }
    unsigned before[kMaxRows], poor = 0;
    for (int i = 0; i < search_.size; ++i) {
      V& r = search_.residual[i];
      r = Pick<V>(mask, r + search_.change[i] * step, r);
      before[i] = acts_[i];
    }
    FindForces(search_.residual);
    FindGradient();
    for (int i = 0; i < search_.size; ++i) {
      const unsigned changed = (acts_[i] ^ before[i]) & live;
      if (changed != 0) poor |= UpdateHessian(i, changed);
    }
    return poor;
  }

  const StepModel* m_;
  ConstraintRows<kNv, V>* rows_;
  World<V>* w_;
  TreeLine<V> search_;
  Cholesky<kNv, V> hessian_;
  RowRange range_;
  DofRange dofs_;
  unsigned acts_[kMaxRows];  // the lanes in which a row acts
  V qacc_[kSize], force_[kSize], gradient_[kSize], newton_[kSize];
  V inertia_[kSize];  // M qacc
  V direction_[kSize], direction_inertia_[kSize];
};

}  // namespace parallel_pool::mujoco::lanes
