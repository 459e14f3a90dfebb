// The places of rows of constraints in scalar products with their forces.
//
// A product has the order of the rows of each env. So rows are placed for each lane: those of whole
// blocks of four, then those that are left over. Where rows are sparse, a row of the matrix
// J M^-1 J' has columns only for rows that share a tree with it: its pattern.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/rows.h"

namespace parallel_pool::mujoco::lanes {

// kMost: rows.
template <class V, int kMost>
struct RowPattern {
  static constexpr int kLanes = kLanesOf<V>, kMostPlaces = kMost + 3;

  unsigned trees[kLanes];    // that sparse rows share in each lane; 0: no row is known yet
  int blocks;                // places in whole blocks; three more are for what is left over
  int place[kMost][kLanes];  // of each row that a lane has in the pattern
  unsigned lanes[kMost];     // the lanes that have a row in it
  bool is_even[kMost];       // whether the row's place is the same in all lanes
  V force[kMostPlaces];

  void Begin() {
    for (unsigned& t : trees) t = 0;
  }
  // Whether row i may share the pattern of those that were added.
  bool Fits(const Rows<V>& rows, int i) const {
    bool fits = true;
    ForEachLane(rows.lanes[i],
                [&](int k) { fits &= trees[k] == 0 || trees[k] == rows.trees[i][k]; });
    return fits;
  }
  void AddTrees(const Rows<V>& rows, int i) {
    ForEachLane(rows.lanes[i], [&](int k) { trees[k] = rows.trees[i][k]; });
  }

  // Places the rows, and clears all forces.
  void Place(const Rows<V>& rows, bool is_sparse) {
    int size[kLanes] = {}, number[kLanes] = {};
    for (int i = 0; i < rows.size; ++i) {
      lanes[i] = 0;
      ForEachLane(rows.lanes[i], [&](int k) {
        if (is_sparse && (trees[k] & rows.trees[i][k]) == 0) return;
        lanes[i] |= 1u << k;
        ++size[k];
      });
    }
    blocks = 0;
    for (int k = 0; k < kLanes; ++k) {
      if (size[k] / 4 * 4 > blocks) blocks = size[k] / 4 * 4;
    }
    for (int i = 0; i < rows.size; ++i) {
      ForEachLane(lanes[i], [&](int k) {
        const int n = number[k]++, whole = size[k] / 4 * 4;
        place[i][k] = n < whole ? n : blocks + n - whole;
      });
      is_even[i] = lanes[i] == kAll;
      for (int k = 1; is_even[i] && k < kLanes; ++k) is_even[i] = place[i][k] == place[i][0];
    }
    for (int p = 0; p < blocks + 3; ++p) force[p] = All<V>(0);
  }

  // Writes a number of a row to its place, in the lanes that have it here.
  void Set(V* to, int row, const V& x) const {
    if (is_even[row]) {
      to[place[row][0]] = x;
      return;
    }
    ForEachLane(lanes[row], [&](int k) { At(to[place[row][k]], k) = At(x, k); });
  }
  // Changes a row's force in some lanes.
  void SetForce(unsigned in_lanes, int row, const V& x) {
    if (is_even[row] && in_lanes == kAll) {
      force[place[row][0]] = x;
      return;
    }
    ForEachLane(in_lanes & lanes[row], [&](int k) { At(force[place[row][k]], k) = At(x, k); });
  }
  V Force(int row, unsigned of_lanes) const {
    if (is_even[row]) return force[place[row][0]];
    V x = All<V>(0);
    ForEachLane(of_lanes, [&](int k) { At(x, k) = At(force[place[row][k]], k); });
    return x;
  }
  // A row of the matrix, by places, times the forces.
  V TimesForces(const V* a, bool is_sparse) const {
    const auto one = [=](int p) { return a[p]; };
    const auto other = [this](int p) { return force[p]; };
    return is_sparse ? SparseDot<V>(blocks + 3, one, other) : Dot<V>(blocks + 3, one, other);
  }

 private:
  static constexpr unsigned kAll = (1u << kLanes) - 1;
};

}  // namespace parallel_pool::mujoco::lanes
