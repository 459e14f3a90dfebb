// Sparse Cholesky factors of several envs, of models whose Jacobian libmujoco keeps sparse:
// mju_cholFactorNumeric, mju_cholSolveSparse and mju_cholUpdateSparse.
//
// H = L' L, from the last dof to the first. The order of sums depends on where L has numbers, and
// that on the rows of constraints of each env. Lanes that have numbers at the same places share a
// pattern.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/island.h"
#include "parallel_pool/envs/mujoco/lanes/sparse_pattern.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class SparseCholesky {
 public:
  static constexpr int kLanes = kLanesOf<V>;

  // The element in a row and a column of the lower triangle of the matrix.
  V& operator()(int row, int column) { return kIsMujoco4 ? h_[row][column] : l_[row][column]; }

  // Finds where the factors of an island have numbers, and clears the matrix.
  void Begin(const StepModel& m, const Island<V>& island) {
    nv_ = island.nv;
    for (int i = 0; i < nv_; ++i) {
      for (int j = 0; j <= i; ++j) (*this)(i, j) = All<V>(0);
    }
    FindPatterns(m, island);
  }

  // Finds the factor of the matrix in the lanes of `wanted`. Returns those in which it is poor.
  unsigned Factor(unsigned wanted) {
    unsigned poor = 0;
    const Mask<V> is_wanted = MaskOf<V>(wanted);
    if (kIsMujoco4) CopyMatrix(is_wanted);
    for (int r = nv_ - 1; r >= 0; --r) {
      V* const row = l_[r];
      const bool is_whole = wanted == lanes_ && below_[r].size == 1;
      for (int n = 0; n < below_[r].size; ++n) {
        const auto& [lanes, below] = below_[r].items[n];
        const Mask<V> mask = MaskOf<V>(lanes & wanted);
        // Calls f(column, number) for each of `rows`, with the number that they change in row r.
        const auto for_each_number = [&](const DofList<V>& rows, const auto& f) {
          for (const int c : rows) {
            const V scale = is_whole ? l_[c][r] : Pick<V>(mask, l_[c][r], All<V>(0));
            const unsigned char* const columns = row_[c].items;
            for (int k = 0, last = columns_[c].Rank(r); k <= last; ++k) {
              f(columns[k], scale * l_[c][columns[k]]);
            }
          }
        };
        const auto subtract = [&](int j, const V& x) { row[j] = row[j] - x; };
        for_each_number(below->first, subtract);
        if (below->apart.size > 0) {
          V sum[kMaxDofs];
          for (int j = 0; j <= r; ++j) sum[j] = All<V>(0);
          for_each_number(below->apart, [&](int j, const V& x) { sum[j] = sum[j] + x; });
          for (const int j : row_[r]) row[j] = row[j] - sum[j];
          row[r] = row[r] - sum[r];
        }
        for_each_number(below->then, subtract);
      }
      poor |= wanted & Bits<V>(row[r] < mjMINVAL);
      const V root = Sqrt<V>(Larger(row[r])), scale = Pick<V>(is_wanted, 1 / root, All<V>(1));
      for (const int j : row_[r]) row[j] = row[j] * scale;
      row[r] = Pick<V>(is_wanted, root, row[r]);
    }
    return poor;
  }

  // Where the factor of lane k has numbers.
  const SparsePattern<V>& pattern(int k) const {
    int p = 0;
    while (!(patterns_[p].lanes >> k & 1)) ++p;
    return patterns_[p];
  }

  void Solve(const V* y, V* x) const {
    for (int i = 0; i < nv_; ++i) x[i] = y[i];
    for (int i = nv_ - 1; i >= 0; --i) {
      const V* const row = l_[i];
      x[i] = x[i] / row[i];
      row_[i].ForEachBackwards([&](int j) { x[j] = x[j] - row[j] * x[i]; });
    }
    for (int i = 0; i < nv_; ++i) {
      V left = x[i];
      if (const unsigned alone = lanes_ & ~together_[i][0] & ~together_[i][1] & ~together_[i][2]) {
        V sum = RowTimes(*rows_[i].items[0].list, i, x);
        for (int n = 1; n < rows_[i].size; ++n) {
          const auto& [lanes, row] = rows_[i].items[n];
          if (lanes & alone) sum = Pick<V>(MaskOf<V>(lanes), RowTimes(*row, i, x), sum);
        }
        left = x[i] - sum;
      }
      for (int place = 0; kIsMujoco4 && place < Pattern::kMostSolved; ++place) {
        if (together_[i][place] != 0) SubtractTogether(i, place, x, left);
      }
      x[i] = left / l_[i][i];
    }
  }

  // As Cholesky's.
  unsigned Update(V* x, const V& sign, int first) {
    unsigned poor = 0;
    for (int v = 0; v < first; ++v) x[v] = All<V>(0);
    for (int i = nv_ - 1; i >= 0; --i) {
      const V by = x[i];
      const Mask<V> changes = by != 0;
      if (Bits<V>(changes) == 0) continue;
      V* const row = l_[i];
      const V squared = row[i] * row[i] + sign * (by * by);
      poor |= Bits<V>(changes & (squared < mjMINVAL));
      const V root = Sqrt<V>(Larger(squared));
      const V cosine = Pick<V>(changes, row[i] / root, All<V>(1));
      const V sine = Pick<V>(changes, -by / root, All<V>(0)), signed_sine = -sign * sine;
      row[i] = Pick<V>(changes, root, row[i]);
      row_[i].ForEachBackwards([&](int j) {
        const V element = row[j], other = x[j];
        row[j] = cosine * element + signed_sine * other;
        x[j] = sine * element + cosine * other;
      });
    }
    return poor;
  }

 private:
  using Pattern = SparsePattern<V>;

  // Dofs that rows of constraints link, and the lanes in which they do.
  struct Link {
    DofSet dofs;
    unsigned lanes;
  };
  // The lists of a row or a column that differ between the lanes. The first holds for the lanes of
  // none, too.
  template <class List>
  struct Lists {
    int size;
    struct {
      unsigned lanes;
      const List* list;
    } items[kLanes];

    void Add(unsigned lanes, const List& list) {
      for (int n = 0; n < size; ++n) {
        if (!(*items[n].list == list)) continue;
        items[n].lanes |= lanes;
        return;
      }
      items[size++] = {lanes, &list};
    }
  };

  static V Larger(const V& x) { return Pick<V>(x < mjMINVAL, All<V>(mjMINVAL), x); }
  V RowTimes(const DofList<V>& columns, int i, const V* x) const {
    const unsigned char* const c = columns.items;
    return SparseDot<V>(
        columns.size, [&](int k) { return l_[i][c[k]]; }, [&](int k) { return x[c[k]]; });
  }

  // Sets the factor to the matrix in lanes.
  void CopyMatrix(const Mask<V>& lanes) {
    for (int i = 0; i < nv_; ++i) {
      for (const int j : row_[i]) l_[i][j] = Pick<V>(lanes, h_[i][j], l_[i][j]);
      l_[i][i] = Pick<V>(lanes, h_[i][i], l_[i][i]);
    }
  }

  // The right side of row i in the lanes in which it is at `place` of rows that are solved
  // together. The columns of the first of them are summed in their order, then come the others.
  void SubtractTogether(int i, int place, const V* x, V& left) const {
    const int first = i - place;
    for (int n = 0; n < rows_[first].size; ++n) {
      const auto& [lanes, columns] = rows_[first].items[n];
      const unsigned own = lanes & together_[i][place];
      if (own == 0) continue;
      const bool is_whole = own == lanes_;
      V sum = All<V>(0);
      for (const int c : *columns) sum = sum + l_[i][c] * x[c];
      V rest = x[i] - sum;
      for (int j = first; j < i; ++j) rest = rest - l_[i][j] * x[j];
      left = is_whole ? rest : Pick<V>(MaskOf<V>(own), rest, left);
    }
  }

  // Steps that follow each other mostly have the same patterns.
  void FindPatterns(const StepModel& m, const Island<V>& island) {
    DofSet inertia[kMaxDofs];
    island.FindInertiaColumns(m, inertia);
    bool is_known = lanes_ == island.lanes && known_nv_ == nv_;
    lanes_ = island.lanes;
    known_nv_ = nv_;
    for (int i = 0; i < nv_; ++i) {
      is_known &= inertia_[i] == inertia[i];
      inertia_[i] = inertia[i];
    }
    if (FindLinks(island) || !is_known) SetPatterns();
  }
  void SetPatterns() {
    num_patterns_ = 0;
    for (unsigned left = lanes_; left != 0;) {
      Pattern& pattern = patterns_[num_patterns_++];
      pattern.lanes = LanesLike(__builtin_ctz(left)) & left;
      left &= ~pattern.lanes;
      if (HasLinks(pattern.lanes)) {
        pattern.Find(nv_, inertia_, [&](DofSet* rows) { AddLinks(pattern.lanes, rows); });
      } else {
        pattern.Take(nv_, inertia_);
      }
    }
    for (int i = 0; i < nv_; ++i) {
      rows_[i].size = below_[i].size = row_[i].size = 0;
      columns_[i] = {};
      for (int p = 0; p < num_patterns_; ++p) {
        const Pattern& pattern = patterns_[p];
        rows_[i].Add(pattern.lanes, pattern.row[i]);
        below_[i].Add(pattern.lanes, pattern.below[i]);
        for (const int j : pattern.row[i]) columns_[i].Add(j);
      }
      columns_[i].ForEach([&](int j) { row_[i].Add(j); });
      for (unsigned& lanes : together_[i]) lanes = 0;
    }
    for (int p = 0; kIsMujoco4 && p < num_patterns_; ++p) {
      patterns_[p].ForEachSolvedTogether(
          nv_, [&](int i, int place) { together_[i][place] |= patterns_[p].lanes; });
    }
  }
  // Lists what rows of constraints link next to the matrix of inertia. Returns whether that has
  // changed.
  bool FindLinks(const Island<V>& island) {
    Link found[kMostRows];
    int size = 0;
    for (int i = 0; i < island.size; ++i) {
      const DofSet dofs = island.dofs(i);
      if (island.unit(i) >= 0 || dofs.empty()) continue;
      DofSet linked = inertia_[dofs.Last()];
      linked.Add(dofs.Last());
      if ((dofs & linked) == dofs) continue;
      int n = 0;
      while (n < size && !(found[n].dofs == dofs)) ++n;
      if (n == size) found[size++] = {.dofs = dofs, .lanes = 0};
      found[n].lanes |= island.own(i);
    }
    bool has_changed = size != num_links_;
    num_links_ = size;
    for (int n = 0; n < size; ++n) {
      has_changed |= !(links_[n].dofs == found[n].dofs) || links_[n].lanes != found[n].lanes;
      links_[n] = found[n];
    }
    return has_changed;
  }
  // The lanes with the links of lane k.
  unsigned LanesLike(int k) const {
    unsigned like = (1u << kLanes) - 1;
    for (int n = 0; n < num_links_; ++n) {
      like &= links_[n].lanes >> k & 1 ? links_[n].lanes : ~links_[n].lanes;
    }
    return like;
  }
  bool HasLinks(unsigned lanes) const {
    for (int n = 0; n < num_links_; ++n) {
      if ((links_[n].lanes & lanes) != 0) return true;
    }
    return false;
  }
  void AddLinks(unsigned lanes, DofSet* rows) const {
    for (int n = 0; n < num_links_; ++n) {
      if ((links_[n].lanes & lanes) == 0) continue;
      links_[n].dofs.ForEach([&](int j) { rows[j] = rows[j] | links_[n].dofs; });
    }
  }

  int nv_, num_patterns_;
  // The patterns are those of these. inertia: the columns of each row of its matrix before the
  // diagonal.
  int known_nv_ = 0, num_links_ = 0;
  unsigned lanes_ = 0;
  DofSet inertia_[kMaxDofs];
  Link links_[kMostRows];
  Pattern patterns_[kLanes];
  DofList<V> row_[kMaxDofs];  // columns that a row has in any pattern, before its diagonal
  DofSet columns_[kMaxDofs];  // the same
  Lists<DofList<V>> rows_[kMaxDofs];
  Lists<RowsBelow<V>> below_[kMaxDofs];
  unsigned together_[kMaxDofs][Pattern::kMostSolved];  // the lanes in which a row has this place
  V l_[kMaxDofs][kMaxDofs];
  V h_[kIsMujoco4 ? kMaxDofs : 1][kMaxDofs];  // the matrix, which MuJoCo 4 keeps
};

}  // namespace parallel_pool::mujoco::lanes
