// Friction forces without slip, after Newton's method: mj_solNoSlip, and what it needs of
// mj_projectConstraint. Forces of friction are changed one after the other, in sweeps, so that the
// regularizer of the rows has no effect on them.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/inertia.h"
#include "parallel_pool/envs/mujoco/lanes/row_pattern.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class Noslip {
 public:
  static constexpr int kLanes = kLanesOf<V>;
  static constexpr int kMost = 190;  // rows

  // Changes the forces of friction of `rows`. An island has the name of its first tree:
  // island_of[t][k] is that of tree t in lane k, and islands[t] the lanes that have an island t.
  // Sets qfrc_constraint and qacc, and adds to the iterations of each lane. False: there are more
  // rows than kMost, or more patterns than kMostPatterns.
  bool Run(const StepModel& m, const int (*island_of)[kLanes], const unsigned* islands,
           Rows<V>& rows, World<V>& w, int* iterations) {
    if (rows.size > kMost || !FindPatterns(m, rows)) return false;
    Place(rows);
    FindMatrix(m, rows, w);
    for (int i = 0; i < rows.size; ++i) FindIslandsOf(i, island_of, rows);
    Sweep(m, island_of, islands, rows, w, iterations);
    FindAccelerations(m, rows, w);
    return true;
  }

 private:
  static constexpr int kMostPatterns = 8;

  bool FindPatterns(const StepModel& m, const Rows<V>& rows) {
    is_sparse_ = m.is_sparse;
    num_patterns_ = 0;
    for (int i = 0; i < rows.size; ++i) {
      int p = 0;
      while (p < num_patterns_ && is_sparse_ && !patterns_[p].Fits(rows, i)) ++p;
      if (p == kMostPatterns) return false;
      if (p == num_patterns_) patterns_[num_patterns_++].Begin();
      patterns_[p].AddTrees(rows, i);
      pattern_of_[i] = p;
    }
    return true;
  }
  // Gives each row its place in the sums of each lane.
  void Place(const Rows<V>& rows) {
    stride_ = 0;
    for (int p = 0; p < num_patterns_; ++p) {
      patterns_[p].Place(rows, is_sparse_);
      if (patterns_[p].blocks + 3 > stride_) stride_ = patterns_[p].blocks + 3;
    }
    for (int i = 0; i < rows.size; ++i) is_updated_[i] = rows.kind[i] == RowKind::kFriction;
    for (int p = 0; p < rows.num_pyramids; ++p) {
      const auto& pyramid = rows.pyramids[p];
      for (int i = 0; i < pyramid.size; ++i) is_updated_[pyramid.first + i] = true;
    }
    for (int i = 0; i < rows.size; ++i) SetForce(rows.lanes[i], i, rows.force[i]);
  }
  void SetForce(unsigned lanes, int row, const V& x) {
    for (int p = 0; p < num_patterns_; ++p) patterns_[p].SetForce(lanes, row, x);
  }

  // J M^-1 J' + R: the rows that are updated.
  void FindMatrix(const StepModel& m, const Rows<V>& rows, const World<V>& w) {
    V scale[kMaxDofs];
    for (int v = 0; v < m.nv; ++v) {
      scale[v] = 1 / Sqrt<V>(w.qLD[m.row[v] + m.row_size[v] - 1]);
    }
    for (int i = 0; i < rows.size; i += 4) FindHalves(m, rows, w, scale, i);
    for (int p = 0; p < rows.size * stride_; ++p) AR_[p] = All<V>(0);
    for (int i = 0; i < rows.size; ++i) FindRow(rows, i);
  }
  // Y = D^-1/2 L^-T J' of four rows, so that Y' Y = J M^-1 J'.
  void FindHalves(const StepModel& m, const Rows<V>& rows, const World<V>& w, const V* scale,
                  int first) {
    for (int v = 0; v < m.nv; ++v) {
      for (int p = 0; p < 4; ++p) Y_[v][first + p] = All<V>(0);
    }
    DofSet dofs = {};
    for (int i = first; i < first + 4 && i < rows.size; ++i) {
      dofs = dofs | rows.dofs[i];
      if (rows.unit[i] >= 0) Y_[rows.unit[i]][i] = rows.sign[i];
      if (rows.unit[i] < 0) rows.dofs[i].ForEach([&](int v) { Y_[v][i] = rows.J(i)[v]; });
    }
    const DofSet given = dofs;
    given.ForEach([&](int v) { dofs = dofs | m.ancestors[v]; });
    for (int v = m.nv - 1; v >= 0; --v) {
      if (!dofs.Has(v)) continue;
      V* const y = Y_[v] + first;
      for (int e = m.row[v]; !m.is_simple[v] && e < m.row[v] + m.row_size[v] - 1; ++e) {
        V* const above = Y_[m.column[e]] + first;
        const V factor = w.qLD[e];
        for (int p = 0; p < 4; ++p) above[p] = above[p] - y[p] * factor;
      }
      for (int p = 0; p < 4; ++p) y[p] = y[p] * scale[v];
    }
    for (int p = 0; p < 4; ++p) dofs_[first + p] = dofs;
  }
  // The numbers of row i of the matrix up to its diagonal, and so those of column i.
  void FindRow(const Rows<V>& rows, int i) {
    for (int c = 0; c <= i; c += 4) {
      V sum[4] = {All<V>(0), All<V>(0), All<V>(0), All<V>(0)};
      (dofs_[i] & dofs_[c]).ForEach([&](int v) {
        const V *const y = Y_[v] + c, own = Y_[v][i];
        for (int p = 0; p < 4; ++p) sum[p] = sum[p] + y[p] * own;
      });
      for (int p = 0; p < 4 && c + p <= i; ++p) SetElement(rows, i, c + p, sum[p]);
    }
  }
  // Lanes without a row do not read it.
  void SetElement(const Rows<V>& rows, int i, int column, V x) {
    if (column == i) diagonal_[i] = x = x + rows.R[i];
    if (column == i - 1) beside_[i] = x;
    if (is_updated_[i]) patterns_[pattern_of_[i]].Set(AR_ + i * stride_, column, x);
    if (column == i || !is_updated_[column]) return;
    patterns_[pattern_of_[column]].Set(AR_ + column * stride_, i, x);
  }

  // The island of a row in each lane.
  void FindIslandsOf(int i, const int (*island_of)[kLanes], const Rows<V>& rows) {
    ForEachLane(rows.lanes[i], [&](int k) {
      island_[i][k] = rows.trees[i][k] == 0 ? 0 : island_of[__builtin_ctz(rows.trees[i][k])][k];
    });
  }
  // The lanes in which a row's island is not done.
  unsigned LiveLanes(int row, unsigned lanes, const unsigned* live) const {
    unsigned own = 0;
    ForEachLane(lanes, [&](int k) {
      if (live[island_[row][k]] >> k & 1) own |= 1u << k;
    });
    return own;
  }
  void AddImprovement(int row, unsigned lanes, const V& x) {
    ForEachLane(lanes, [&](int k) { At(improvement_[island_[row][k]], k) += At(x, k); });
  }

  void Sweep(const StepModel& m, const int (*island_of)[kLanes], const unsigned* islands,
             const Rows<V>& rows, const World<V>& w, int* iterations) {
    const V zero = All<V>(0);
    unsigned live[kMaxTrees], any = 0;
    V scale[kMaxTrees];
    for (int t = 0; t < m.ntree; ++t) any |= live[t] = islands[t];
    for (int i = 0; i < rows.size; ++i) b_[i] = rows.Times(i, w.qacc_smooth) - rows.aref[i];
    FindScales(m, island_of, w, scale);
    for (int n = 0; n < m.noslip_iterations && any != 0; ++n) {
      for (int t = 0; t < m.ntree; ++t) improvement_[t] = zero;
      for (int i = 0; n == 0 && i < rows.size; ++i) {
        const V force = rows.force[i];
        AddImprovement(i, LiveLanes(i, rows.lanes[i], live), 0.5 * force * force * rows.R[i]);
      }
      for (int i = 0; i < rows.size; ++i) {
        if (rows.kind[i] != RowKind::kFriction) continue;
        UpdateLoss(rows, i, LiveLanes(i, rows.lanes[i], live));
      }
      for (int p = 0; p < rows.num_pyramids; ++p) {
        const auto& pyramid = rows.pyramids[p];
        for (int i = pyramid.first; i < pyramid.first + pyramid.size; i += 2) {
          UpdatePair(rows, i, LiveLanes(i, rows.lanes[i], live));
        }
      }
      any = 0;
      for (int t = 0; t < m.ntree; ++t) {
        ForEachLane(live[t], [&](int k) { ++iterations[k]; });
        live[t] &= ~Bits<V>(improvement_[t] * scale[t] < m.noslip_tolerance);
        any |= live[t];
      }
    }
  }
  // 1 / the trace of the inertia matrix of each island.
  void FindScales(const StepModel& m, const int (*island_of)[kLanes], const World<V>& w,
                  V* scale) const {
    for (int t = 0; t < m.ntree; ++t) scale[t] = All<V>(0);
    for (int t = 0; t < m.ntree; ++t) {
      for (int v = m.trees[t].dofs.begin; v < m.trees[t].dofs.end; ++v) {
        const V& diagonal = w.M[m.row[v] + m.row_size[v] - 1];
        for (int k = 0; k < kLanes; ++k) At(scale[island_of[t][k]], k) += At(diagonal, k);
      }
    }
    for (int t = 0; t < m.ntree; ++t) scale[t] = 1 / scale[t];
  }

  V Force(int row, unsigned lanes) const { return patterns_[pattern_of_[row]].Force(row, lanes); }
  // The residual of a row without its regularizer.
  V Residual(const Rows<V>& rows, int i, const V& force) const {
    const V sum = patterns_[pattern_of_[i]].TimesForces(AR_ + i * stride_, is_sparse_);
    return (b_[i] + sum) - rows.R[i] * force;
  }
  V Inverse(const Rows<V>& rows, int i, double least) const {
    const V x = diagonal_[i] - rows.R[i];
    return Pick<V>(x < least, All<V>(least), x);
  }

  void UpdateLoss(const Rows<V>& rows, int i, unsigned lanes) {
    if (lanes == 0) return;
    const V before = Force(i, lanes), residual = Residual(rows, i, before);
    const V inverse = 1 / Inverse(rows, i, mjMINVAL), most = rows.loss[i];
    V force = before - residual * inverse;
    force = Pick<V>(force < -most, -most, Pick<V>(force > most, most, force));
    const V by = force - before;
    SetForce(lanes, i, force);
    AddImprovement(i, lanes, -(0.5 * by * by / inverse + by * residual));
  }

  // Two opposing edges of a pyramid: their sum stays.
  void UpdatePair(const Rows<V>& rows, int i, unsigned lanes) {
    if (lanes == 0) return;
    const V zero = All<V>(0);
    const V f0 = Force(i, lanes), f1 = Force(i + 1, lanes);
    const V r0 = Residual(rows, i, f0), r1 = Residual(rows, i + 1, f1);
    const V a00 = Inverse(rows, i, 1e-10), a11 = Inverse(rows, i + 1, 1e-10), a01 = beside_[i + 1];
    const V b0 = r0 - (a00 * f0 + a01 * f1), b1 = r1 - (a01 * f0 + a11 * f1);
    const V middle = 0.5 * (f0 + f1);
    const V k1 = a00 + a11 - a01 - a01, k0 = middle * (a00 - a11) + b0 - b1;
    const V y = -k0 / k1;
    const Mask<V> is_flat = k1 < mjMINVAL, is_low = y<-middle, is_high = y> middle;
    V n0 = Pick<V>(is_low, zero, Pick<V>(is_high, 2 * middle, middle + y));
    V n1 = Pick<V>(is_low, 2 * middle, Pick<V>(is_high, zero, middle - y));
    n0 = Pick<V>(is_flat, middle, n0);
    n1 = Pick<V>(is_flat, middle, n1);
    const V d0 = n0 - f0, d1 = n1 - f1;
    const V quadratic = d0 * (a00 * d0 + a01 * d1) + d1 * (a01 * d0 + a11 * d1);
    const V change = 0.5 * quadratic + (d0 * r0 + d1 * r1);
    const Mask<V> is_worse = change > 1e-10;
    SetForce(lanes, i, Pick<V>(is_worse, f0, n0));
    SetForce(lanes, i + 1, Pick<V>(is_worse, f1, n1));
    AddImprovement(i, lanes, -Pick<V>(is_worse, zero, change));
  }

  // The accelerations with these forces.
  void FindAccelerations(const StepModel& m, Rows<V>& rows, World<V>& w) {
    unsigned lanes = 0;
    for (int v = 0; v < m.nv; ++v) w.qfrc_constraint[v] = All<V>(0);
    for (int i = 0; i < rows.size; ++i) {
      lanes |= rows.lanes[i];
      const V force = rows.force[i] = Force(i, rows.lanes[i]);
      if (const int v = rows.unit[i]; v >= 0) {
        w.qfrc_constraint[v] = w.qfrc_constraint[v] + rows.sign[i] * force;
        continue;
      }
      rows.dofs[i].ForEach(
          [&](int v) { w.qfrc_constraint[v] = w.qfrc_constraint[v] + rows.J(i)[v] * force; });
    }
    for (int v = 0; v < m.nv; ++v) w.qacc[v] = w.qfrc_constraint[v];
    Solve(m, {0, m.nv}, w.qLD, w.qLDiagInv, w.qacc);
    const Mask<V> mask = MaskOf<V>(lanes);
    for (int v = 0; v < m.nv; ++v) {
      w.qacc[v] = Pick<V>(mask, w.qacc[v] + w.qacc_smooth[v], w.qacc_smooth[v]);
    }
  }

  bool is_sparse_;
  int num_patterns_, stride_;  // stride: the most places of a pattern
  RowPattern<V, kMost> patterns_[kMostPatterns];
  int pattern_of_[kMost];              // of each row
  int island_[kMost][kLanes];          // of each row that a lane has
  bool is_updated_[kMost];             // whether the row is one of friction
  DofSet dofs_[kMost + 4];             // of Y_
  V Y_[kMaxDofs][kMost + 4];           // see FindHalves
  V diagonal_[kMost], beside_[kMost];  // of the matrix: with itself, and with the row before
  V b_[kMost];                         // the residuals without forces
  V improvement_[kMaxTrees];           // of each island
  // A row for each row, with a number for each place.
  V AR_[kMost * RowPattern<V, kMost>::kMostPlaces];
};

}  // namespace parallel_pool::mujoco::lanes
