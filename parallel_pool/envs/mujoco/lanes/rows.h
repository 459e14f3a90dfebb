// Rows of constraints of every kind, of several envs: the efc arrays of mj_makeConstraint.
//
// Lanes share rows. Equalities and losses by friction are the same rows in each lane. A limit that
// acts in any lane has a row, which is zero in the others. The first contact of each lane has the
// same rows, so has the second one, and so on, padded with zeros. So the rows of a lane keep
// libmujoco's order.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/world.h"

namespace parallel_pool::mujoco::lanes {

// kCone: the normal of a contact with an elliptic friction cone; kConeRest: the tangents after it.
enum class RowKind : unsigned char { kEquality, kFriction, kOneSided, kCone, kConeRest };

// The most rows of a cone. A lane whose contact has fewer has zeros.
inline constexpr int kConeRows = 4;

// A vector of dof numbers times a row, summed in libmujoco's order for dense rows. Blocks of four
// zeros are left out.
template <class V>
inline V RowTimes(const V* J, DofSet dofs, int n, const V* x) {
  const int whole = n / 4 * 4;
  V part[4] = {All<V>(0), All<V>(0), All<V>(0), All<V>(0)};
  for (int k = 0; k < whole; k += 4) {
    if (!dofs.HasOfFour(k)) continue;
    for (int i = 0; i < 4; ++i) part[i] = part[i] + J[k + i] * x[k + i];
  }
  const V sum = (part[0] + part[2]) + (part[1] + part[3]);
  switch (n - whole) {
    case 1:
      return sum + J[whole] * x[whole];
    case 2:
      return sum + (J[whole] * x[whole] + J[whole + 1] * x[whole + 1]);
    case 3:
      return sum +
             (J[whole] * x[whole] + J[whole + 1] * x[whole + 1] + J[whole + 2] * x[whole + 2]);
    default:
      return sum;
  }
}

// The same for sparse rows.
template <class V>
inline V SparseRowTimes(const V* J, const DofSet& dofs, const V* x) {
  int place[kMaxDofs], n = 0;
  dofs.ForEach([&](int v) { place[n++] = v; });
  return SparseDot<V>(n, [&](int k) { return J[place[k]]; }, [&](int k) { return x[place[k]]; });
}

template <class V>
struct Rows {
  static constexpr int kLanes = kLanesOf<V>;

  int nv, size;
  bool is_sparse;
  bool is_full;  // there was no room for all rows
  RowKind kind[kMostRows];
  int unit[kMostRows];                // the row's only dof; -1: it has several
  V sign[kMostRows];                  // of a row with one dof: its number there, 1 or -1
  DofSet dofs[kMostRows];             // bits of the dofs that it has in any lane
  unsigned lanes[kMostRows];          // the lanes that have the row
  unsigned trees[kMostRows][kLanes];  // bits of the trees that it acts on, in each lane
  int bodies[kMostRows];              // of a contact's row, if it is sparse: a number for them
  V D[kMostRows];                     // 1 / R
  V mu[kMostRows];                    // of a cone's normal: its regularized friction; else its own
  V R[kMostRows];                     // the regularizer
  V loss[kMostRows];                  // of losses by friction: the most force
  V pos[kMostRows], margin[kMostRows];
  V impedance[kMostRows], stiffness[kMostRows], damping[kMostRows];
  V aref[kMostRows], force[kMostRows];
  // The friction pyramids of contacts: each two of their rows are opposing edges.
  struct { int first, size; } pyramids[kMostRows];
  int num_pyramids;

  void Clear(const StepModel& m) {
    nv = m.nv;
    is_sparse = m.is_sparse;
    size = num_pyramids = 0;
    is_full = false;
  }
  // The Jacobian of row i: nv numbers.
  V* J(int i) { return jacobian_ + i * nv; }
  const V* J(int i) const { return jacobian_ + i * nv; }

  V Times(int i, const V* x) const {
    if (unit[i] >= 0) return sign[i] * x[unit[i]];
    return is_sparse ? SparseRowTimes(J(i), dofs[i], x) : RowTimes(J(i), dofs[i], nv, x);
  }

  // Adds `n` rows, zero in all lanes, and returns the first. If there is no room, it is one that is
  // written over later.
  int Add(RowKind kind_of_them, int n, int only_dof = -1) {
    if (size + n > kMostRows) {
      is_full = true;
      size = kMostRows - n;
    }
    const V zero = All<V>(0);
    for (int i = size; i < size + n; ++i) {
      kind[i] = kind_of_them;
      unit[i] = only_dof;
      dofs[i] = {};
      lanes[i] = 0;
      bodies[i] = 0;
      for (unsigned& t : trees[i]) t = 0;
      D[i] = R[i] = mu[i] = pos[i] = margin[i] = impedance[i] = stiffness[i] = damping[i] = zero;
      for (int v = 0; only_dof < 0 && v < nv; ++v) J(i)[v] = zero;
    }
    if (only_dof >= 0) dofs[size].Add(only_dof);
    size += n;
    return size - n;
  }

 private:
  V jacobian_[kMostRows * kMaxDofs];
};

}  // namespace parallel_pool::mujoco::lanes
