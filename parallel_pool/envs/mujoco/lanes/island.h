// An island: trees that rows of constraints link, with their rows. It is solved by itself, with
// dofs and rows in numbers of its own. mj_island.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/inertia.h"
#include "parallel_pool/envs/mujoco/lanes/rows.h"
#include "parallel_pool/envs/mujoco/lanes/sparse_columns.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class Island {
 public:
  int nv, size;        // dofs, rows
  int row[kMostRows];  // the place of each row in Rows
  V D[kMostRows], mu[kMostRows], R[kMostRows], loss[kMostRows];
  V aref[kMostRows], force[kMostRows];
  bool has_cones;
  // Lanes that are in no such island, and rows of other islands in some lanes, have D = 0. So they
  // exert no force.
  unsigned lanes;

  // Takes the trees of `trees` and their rows, for the lanes of `lanes_of_it`.
  void Take(const StepModel& m, const Rows<V>& rows, unsigned trees, unsigned lanes_of_it) {
    lanes = lanes_of_it;
    TakeDofs(m, trees);
    is_sparse_ = m.is_sparse;
    size = 0;
    has_cones = false;
    for (int i = 0; i < rows.size; ++i) {
      unsigned own = 0;
      ForEachLane(rows.lanes[i] & lanes, [&](int k) {
        if (rows.trees[i][k] & trees) own |= 1u << k;
      });
      if (own == 0) continue;
      has_cones |= rows.kind[i] == RowKind::kCone;
      row[size] = i;
      own_[size] = own;
      kind_[size] = rows.kind[i];
      const Mask<V> mask = MaskOf<V>(own);
      D[size] = Pick<V>(mask, rows.D[i], All<V>(0));
      mu[size] = Pick<V>(mask, rows.mu[i], All<V>(0));
      if (kind_[size] == RowKind::kFriction) {
        R[size] = rows.R[i];
        loss[size] = Pick<V>(mask, rows.loss[i], All<V>(0));
      }
      aref[size] = rows.aref[i];
      TakeJacobian(rows, i);
      ++size;
    }
    if (is_sparse_) FindColumns();
  }

  RowKind kind(int i) const { return kind_[i]; }
  int unit(int i) const { return unit_[i]; }       // in numbers of the island; see Rows
  const V& sign(int i) const { return sign_[i]; }  // ditto
  DofSet dofs(int i) const { return dofs_[i]; }
  unsigned own(int i) const { return own_[i]; }  // the lanes whose island has the row
  const V* J(int i) const { return J_[i]; }
  // The rows of the cone whose normal is row i.
  int ConeSize(int i) const {
    int end = i + 1;
    while (end < size && kind_[end] == RowKind::kConeRest) ++end;
    return end - i;
  }

  V Times(int i, const V* x) const {
    if (unit_[i] >= 0) return sign_[i] * x[unit_[i]];
    return is_sparse_ ? SparseRowTimes(J_[i], dofs_[i], x) : RowTimes(J_[i], dofs_[i], nv, x);
  }
  V Product(const V* x, const V* y) const {
    return Dot<V>(nv, [=](int k) { return x[k]; }, [=](int k) { return y[k]; });
  }

  // Copies numbers of dofs to the island, and back where `mask` is set.
  void Gather(const V* all, V* own) const {
    for (int v = 0; v < nv; ++v) own[v] = all[dof_[v]];
  }
  void Scatter(const V* own, const Mask<V>& mask, V* all) const {
    for (int v = 0; v < nv; ++v) all[dof_[v]] = Pick<V>(mask, own[v], all[dof_[v]]);
  }

  void TimesInertia(const StepModel& m, const World<V>& w, const V* x, V* out) const {
    ForEachTree(
        [&](DofRange dofs, int at) { TimesInertiaFrom(dofs.begin - at, m, dofs, w.M, x, out); });
  }
  void SolveInertia(const StepModel& m, const World<V>& w, V* x) const {
    ForEachTree(
        [&](DofRange dofs, int at) { SolveFrom(dofs.begin - at, m, dofs, w.qLD, w.qLDiagInv, x); });
  }
  // Adds the inertia matrix to the lower triangle of another one.
  template <class Matrix>
  void AddInertia(const StepModel& m, const World<V>& w, Matrix& a) const {
    ForEachTree([&](DofRange dofs, int at) {
      for (int i = dofs.begin; i < dofs.end; ++i) {
        for (int e = m.row[i]; e < m.row[i] + m.row_size[i]; ++e) {
          V& element = a(i - dofs.begin + at, m.column[e] - dofs.begin + at);
          element = element + w.M[e];
        }
      }
    });
  }
  // The columns of each row of the inertia matrix before its diagonal.
  void FindInertiaColumns(const StepModel& m, DofSet* columns) const {
    for (int v = 0; v < nv; ++v) columns[v] = {};
    ForEachTree([&](DofRange dofs, int at) {
      for (int i = dofs.begin; i < dofs.end; ++i) {
        m.ancestors[i].ForEach(
            [&](int j) { columns[i - dofs.begin + at].Add(j - dofs.begin + at); });
      }
    });
  }
  V Trace(const StepModel& m, const World<V>& w) const {
    V trace = All<V>(0);
    for (int v = 0; v < nv; ++v) trace = trace + w.M[m.row[dof_[v]] + m.row_size[dof_[v]] - 1];
    return trace;
  }

  void FindForcesOnDofs(V* out) const {
    if (is_sparse_) return columns_.Times(nv, force, out);
    for (int v = 0; v < nv; ++v) out[v] = All<V>(0);
    for (int i = 0; i < size; ++i) {
      if (unit_[i] >= 0) {
        out[unit_[i]] = out[unit_[i]] + sign_[i] * force[i];
        continue;
      }
      if (Bits<V>(force[i] != 0) == 0) continue;
      dofs_[i].ForEach([&](int v) { out[v] = out[v] + J_[i][v] * force[i]; });
    }
  }

 private:
  void FindColumns() {
    columns_.Begin(nv);
    for (int i = 0; i < size; ++i) {
      columns_.Add(i, own_[i], dofs_[i],
                   [&](int v) { return unit_[i] >= 0 ? sign_[i] : J_[i][v]; });
    }
    columns_.End(nv);
  }
  void TakeDofs(const StepModel& m, unsigned trees) {
    nv = num_trees_ = 0;
    is_gapless_ = true;
    for (int t = 0; t < m.ntree; ++t) {
      if ((trees >> t & 1) == 0) continue;
      const DofRange dofs = m.trees[t].dofs;
      is_gapless_ &= nv == 0 || dof_[nv - 1] + 1 == dofs.begin;
      trees_[num_trees_] = dofs;
      first_[num_trees_++] = nv;
      for (int v = dofs.begin; v < dofs.end; ++v) dof_[nv++] = v;
    }
  }
  void TakeJacobian(const Rows<V>& rows, int i) {
    const int begin = dof_[0];
    sign_[size] = rows.sign[i];
    unit_[size] = -1;
    if (is_gapless_) {
      dofs_[size] = nv == rows.nv ? rows.dofs[i] : rows.dofs[i].From(begin, nv);
      if (rows.unit[i] >= 0) unit_[size] = rows.unit[i] - begin;
      J_[size] = rows.J(i) + begin;
      return;
    }
    dofs_[size] = {};
    V* const copy = scratch_ + size * kMaxDofs;
    for (int v = 0; v < nv; ++v) {
      if (rows.unit[i] == dof_[v]) unit_[size] = v;
      if (rows.dofs[i].Has(dof_[v])) dofs_[size].Add(v);
      if (rows.unit[i] < 0) copy[v] = rows.J(i)[dof_[v]];
    }
    J_[size] = copy;
  }
  template <class F>
  void ForEachTree(const F& f) const {
    for (int t = 0; t < num_trees_; ++t) f(trees_[t], first_[t]);
  }

  int num_trees_, first_[kMaxTrees], dof_[kMaxDofs];
  DofRange trees_[kMaxTrees];
  bool is_gapless_;  // whether its dofs follow each other
  bool is_sparse_;
  RowKind kind_[kMostRows];
  int unit_[kMostRows];
  DofSet dofs_[kMostRows];
  unsigned own_[kMostRows];
  V sign_[kMostRows];
  const V* J_[kMostRows];
  V scratch_[kMostRows * kMaxDofs];
  SparseColumns<V> columns_;
};

}  // namespace parallel_pool::mujoco::lanes
