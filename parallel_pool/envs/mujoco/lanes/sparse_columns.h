// The columns of the sparse Jacobian of an island, for forces on dofs: mju_transposeSparse, and
// mju_mulMatVecSparse of its result.
//
// Envs have different rows. So each lane has numbers and rows of its own in a column, in its order.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/rows.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class SparseColumns {
 public:
  static constexpr int kLanes = kLanesOf<V>;

  void Begin(int nv) {
    for (int v = 0; v < nv; ++v) {
      blocks_[v] = 0;
      for (int& n : size_[v]) n = 0;
    }
  }
  // Adds a row for some lanes. J(v): its number of dof v.
  template <class J>
  void Add(int row, unsigned lanes, const DofSet& dofs, const J& number) {
    dofs.ForEach([&](int v) {
      const V x = number(v);
      ForEachLane(lanes, [&](int k) {
        const int n = size_[v][k]++;
        if (n % 4 == 0 && n >= blocks_[v]) ClearBlock(v);
        At(J_[v][n], k) = At(x, k);
        row_[v][n][k] = static_cast<short>(row);
      });
    });
  }
  // Sets apart what is left over after whole blocks of four.
  void End(int nv) {
    for (int v = 0; v < nv; ++v) {
      for (int i = 0; i < 3; ++i) {
        rest_[v][i] = All<V>(0);
        for (short& row : rest_row_[v][i]) row = 0;  // one whose force is a number
      }
      int whole = 0;
      for (int k = 0; k < kLanes; ++k) {
        const int end = size_[v][k] / 4 * 4;
        if (end > whole) whole = end;
        for (int n = end; n < size_[v][k]; ++n) {
          At(rest_[v][n - end], k) = At(J_[v][n], k);
          At(J_[v][n], k) = 0;
          rest_row_[v][n - end][k] = row_[v][n][k];
        }
      }
      blocks_[v] = whole;
    }
  }

  // out = J' force
  void Times(int nv, const V* force, V* out) const {
    for (int v = 0; v < nv; ++v) {
      V part[4] = {All<V>(0), All<V>(0), All<V>(0), All<V>(0)};
      for (int n = 0; n < blocks_[v]; n += 4) {
        for (int i = 0; i < 4; ++i) {
          part[i] = part[i] + J_[v][n + i] * Gather(force, row_[v][n + i]);
        }
      }
      V sum = (part[0] + part[2]) + (part[1] + part[3]);
      for (int i = 0; i < 3; ++i) sum = sum + rest_[v][i] * Gather(force, rest_row_[v][i]);
      out[v] = sum;
    }
  }

 private:
  using Places = short[kLanes];

  void ClearBlock(int v) {
    for (int n = blocks_[v]; n < blocks_[v] + 4; ++n) {
      J_[v][n] = All<V>(0);
      for (short& row : row_[v][n]) row = 0;
    }
    blocks_[v] += 4;
  }
  static V Gather(const V* force, const Places& row) {
    if constexpr (kLanes == 4) {
      return V{At(force[row[0]], 0), At(force[row[1]], 1), At(force[row[2]], 2),
               At(force[row[3]], 3)};
    } else {
      V x;
      for (int k = 0; k < kLanes; ++k) At(x, k) = At(force[row[k]], k);
      return x;
    }
  }

  int blocks_[kMaxDofs];  // numbers in whole blocks
  int size_[kMaxDofs][kLanes];
  V J_[kMaxDofs][kMostRows], rest_[kMaxDofs][3];
  Places row_[kMaxDofs][kMostRows], rest_row_[kMaxDofs][3];
};

}  // namespace parallel_pool::mujoco::lanes
