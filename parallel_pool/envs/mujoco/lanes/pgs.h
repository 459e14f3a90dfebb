// Projected Gauss-Seidel for the forces of constraints: mj_solPGS, with the shuffled order of rows
// and the momentum of libmujoco.
//
// An update of a force waits for the one before it, and each env has its own order. So lanes do not
// fit. The updates of several envs take turns instead, and the processor overlaps them.
#pragma once

#include <stdint.h>

#include "parallel_pool/envs/mujoco/lanes/constraints.h"
#include "parallel_pool/envs/mujoco/lanes/inertia.h"

namespace parallel_pool::mujoco::lanes {

// The problem of one env. `V` only makes the type of each instruction set a type of its own.
template <class V>
class PgsProblem {
 public:
  using Four = Number<4>;
  static constexpr int kMax = (kMaxRows + 3) / 4 * 4;

  int size = 0;   // rows
  int row[kMax];  // the row of ConstraintRows
  alignas(64) Real force[kMax], b[kMax];
  alignas(64) Real AR[kMax * kMax];  // J M^-1 J' + R; by rows of `stride` numbers
  int stride, iterations;

  // Begins with the forces of the warm start, or without any if that costs less. `scale` is that of
  // costs.
  void Start(Real scale) {
    scale_ = scale;
    Real cost = Product(force, b);
    for (int i = 0; i < size; ++i) before_[i] = Product(AR + i * stride, force);
    cost += 0.5 * Product(force, before_);
    for (int i = 0; i < size; ++i) {
      if (cost > 0) force[i] = 0;
      before_[i] = force[i];
      inverse_[i] = 1 / AR[i * stride + i];
      diagonal_[i] = 1 / inverse_[i];
      order_[i] = i;
    }
    random_ = 0;
    Draw();
    momentum_ = iterations = 0;
  }

  // A sweep is Begin, Update(0) ... Update(size - 1) and End.
  void Begin() {
    const Real beta = iterations > 0 ? Real(momentum_ - 1) / (momentum_ + 2) : Real(0);
    for (int i = 0; i < size; ++i) {
      const Real x = force[i];
      if (beta > 0) {
        const Real ahead = x + beta * (x - before_[i]);
        force[i] = ahead < 0 ? Real(0) : ahead;
      }
      before_[i] = x;
      ahead_[i] = force[i];
    }
    for (int i = size - 1; i > 0; --i) {
      const int other = static_cast<int>(Draw() % static_cast<uint32_t>(i + 1));
      const int swapped = order_[i];
      order_[i] = order_[other];
      order_[other] = swapped;
    }
    improvement_ = 0;
  }
  void Update(int turn) {
    const int i = order_[turn];
    const Real residual = b[i] + Product(AR + i * stride, force), old = force[i];
    Real x = old - residual * inverse_[i];
    if (x < 0) x = 0;
    const Real by = x - old;
    Real change = 0.5 * by * by * diagonal_[i] + by * residual;
    if (change > 1e-10) {
      x = old;
      change = 0;
    }
    Store(i, x);
    improvement_ -= change;
  }
  // Whether another sweep is due.
  bool End(Real tolerance, int most) {
    bool restarts = false;
    if (iterations > 0) {
      Real along = 0;
      for (int i = 0; i < size; ++i) {
        along += (force[i] - ahead_[i]) * (ahead_[i] - before_[i]);
      }
      restarts = along < 0;
    }
    momentum_ = restarts ? 0 : momentum_ + 1;
    ++iterations;
    return !(improvement_ * scale_ < tolerance) && iterations < most;
  }

 private:
  static const Four& FourAt(const Real* p) { return *reinterpret_cast<const Four*>(p); }

  // Dot for two arrays in memory.
  Real Product(const Real* x, const Real* y) const {
    const int whole = size / 4 * 4;
    Real sum = 0;
    if (whole > 0) {
      Four part = FourAt(x) * FourAt(y);
      int k = 4;
      for (; k < NumUnfused(size, Blocks::kOfDot); k += 4) {
        const Four product = FourAt(x + k) * FourAt(y + k);
        part = part + product;
      }
      for (; k < whole; k += 4) part = part + FourAt(x + k) * FourAt(y + k);
      sum = (part[0] + part[2]) + (part[1] + part[3]);
    }
    if (size - whole == 3)
      sum += x[whole] * y[whole] + x[whole + 1] * y[whole + 1] + x[whole + 2] * y[whole + 2];
    if (size - whole == 2) sum += x[whole] * y[whole] + x[whole + 1] * y[whole + 1];
    if (size - whole == 1) sum += x[whole] * y[whole];
    return sum;
  }
  // Writes four forces, of which one changes: the next product loads four, and would wait for a
  // narrow store.
  void Store(int i, Real x) {
    Four& four = *reinterpret_cast<Four*>(force + i / 4 * 4);
    four = Pick<Four>(OnlyLane<Four>(i % 4), All<Four>(x), four);
  }
  // PCG32.
  uint32_t Draw() {
    const uint64_t old = random_;
    random_ = old * 6364136223846793005u + 1;
    const auto x = static_cast<uint32_t>(((old >> 18) ^ old) >> 27);
    const auto turn = static_cast<uint32_t>(old >> 59);
    return (x >> turn) | (x << (-turn & 31));
  }

  Real scale_, improvement_;
  int momentum_;
  uint64_t random_;
  int order_[kMax];
  alignas(64) Real before_[kMax], ahead_[kMax], inverse_[kMax], diagonal_[kMax];
};

template <int kNv, class V>
class Pgs {
 public:
  static constexpr int kLanes = kLanesOf<V>;

  // As Newton::Run, for a model of one tree. It never fails, so the result is 0.
  unsigned Run(const StepModel& m, ConstraintRows<kNv, V>& rows, World<V>& w) {
    const unsigned live = rows.LanesOf(rows.all());
    FindReferences<kNv, V>(w.qvel, rows);
    for (int i = 0; i < rows.size; ++i) {
      smooth_[i] = rows.Times(i, w.qacc_smooth) - rows.aref[i];
      warm_[i] = rows.Times(i, w.qacc_warmstart) - rows.aref[i];
    }
    V trace = All<V>(0);
    for (int v = 0; v < m.nv; ++v) trace = trace + w.M[m.row[v] + m.row_size[v] - 1];
    for (int k = 0; k < kLanes; ++k) iterations[k] = 0;
    ForEachLane(live, [&](int k) {
      Load(m, rows, w, k);
      problems_[k].Start(1 / At(trace, k));
    });
    Sweep(m.iterations > 0 ? live : 0, m);
    for (int i = 0; i < rows.size; ++i) rows.force[i] = All<V>(0);
    ForEachLane(live, [&](int k) {
      const PgsProblem<V>& problem = problems_[k];
      for (int i = 0; i < problem.size; ++i) At(rows.force[problem.row[i]], k) = problem.force[i];
      iterations[k] = problem.iterations;
    });
    FindForcesOnDofs(rows, rows.all(), rows.all_dofs(), w.qfrc_constraint);
    for (int v = 0; v < m.nv; ++v) w.qacc[v] = w.qfrc_constraint[v];
    Solve(m, {0, m.nv}, w.qLD, w.qLDiagInv, w.qacc);
    const Mask<V> mask = MaskOf<V>(live);
    for (int v = 0; v < m.nv; ++v) {
      w.qacc[v] = Pick<V>(mask, w.qacc[v] + w.qacc_smooth[v], w.qacc_smooth[v]);
    }
    return 0;
  }

  int iterations[kLanes];

 private:
  using Four = Number<4>;
  static constexpr int kMax = PgsProblem<V>::kMax;

  void Sweep(unsigned live, const StepModel& m) {
    while (live != 0) {
      int longest = 0;
      ForEachLane(live, [&](int k) {
        problems_[k].Begin();
        if (problems_[k].size > longest) longest = problems_[k].size;
      });
      for (int i = 0; i < longest; ++i) {
        ForEachLane(live, [&](int k) {
          if (i < problems_[k].size) problems_[k].Update(i);
        });
      }
      unsigned more = 0;
      ForEachLane(live, [&](int k) {
        if (problems_[k].End(m.tolerance, m.iterations)) more |= 1u << k;
      });
      live = more;
    }
  }

  Four& Y(int v, int i) { return *reinterpret_cast<Four*>(Y_[v] + i); }

  // Makes the problem of lane k.
  void Load(const StepModel& m, const ConstraintRows<kNv, V>& rows, const World<V>& w, int k) {
    PgsProblem<V>& problem = problems_[k];
    problem.size = 0;
    for (int i = 0; i < rows.size; ++i) {
      if (rows.lanes[i] >> k & 1) problem.row[problem.size++] = i;
    }
    const int n = problem.size, stride = problem.stride = (n + 3) / 4 * 4;
    for (int v = 0; v < m.nv; ++v) {
      for (int i = 0; i < stride; i += 4) Y(v, i) = All<Four>(0);
    }
    for (int i = 0; i < n; ++i) {
      const int row = problem.row[i];
      problem.b[i] = At(smooth_[row], k);
      const Real residual = At(warm_[row], k);
      problem.force[i] = residual >= 0 ? Real(0) : -At(rows.D[row], k) * residual;
      if (row < rows.num_limits) {
        Y_[rows.dof[row]][i] = At(rows.sign[row], k);
        continue;
      }
      for (uint64_t dofs = rows.dofs[row]; dofs != 0; dofs &= dofs - 1) {
        const int v = __builtin_ctzll(dofs);
        Y_[v][i] = At(rows.J[row][v], k);
      }
    }
    for (int i = n; i < stride; ++i) problem.force[i] = 0;
    FindInverseInertia(m, w, k, stride);
    for (int i = 0; i < n; ++i) {
      Real* const row = problem.AR + i * stride;
      for (int c = 0; c <= i; c += 4) {
        Four sum = All<Four>(0);
        for (int v = 0; v < m.nv; ++v) sum = sum + Y(v, c) * All<Four>(Y_[v][i]);
        *reinterpret_cast<Four*>(row + c) = sum;
      }
    }
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < i; ++c) problem.AR[c * stride + i] = problem.AR[i * stride + c];
    }
    for (int i = 0; i < n; ++i) {
      problem.AR[i * stride + i] += At(rows.R[problem.row[i]], k);
    }
  }

  // Turns Y = J' into D^-1/2 L^-T J', so that Y' Y = J M^-1 J'.
  void FindInverseInertia(const StepModel& m, const World<V>& w, int k, int stride) {
    for (int v = m.nv - 1; v > 0; --v) {
      if (m.is_simple[v]) continue;
      for (int e = m.row[v]; e < m.row[v] + m.row_size[v] - 1; ++e) {
        const int u = m.column[e];
        const Four factor = All<Four>(At(w.qLD[e], k));
        for (int i = 0; i < stride; i += 4) Y(u, i) = Y(u, i) - Y(v, i) * factor;
      }
    }
    for (int v = 0; v < m.nv; ++v) {
      const Four scale = All<Four>(1 / __builtin_sqrt(At(w.qLD[m.row[v] + m.row_size[v] - 1], k)));
      for (int i = 0; i < stride; i += 4) Y(v, i) = Y(v, i) * scale;
    }
  }

  PgsProblem<V> problems_[kLanes];
  alignas(64) Real Y_[kNv > 0 ? kNv : kMaxDofs][kMax];  // a column for each row of constraints
  V smooth_[kMaxRows], warm_[kMaxRows];                 // residuals
};

}  // namespace parallel_pool::mujoco::lanes
