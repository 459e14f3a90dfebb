// Sparse Cholesky factors of several envs, of models whose Jacobian libmujoco keeps sparse:
// mju_cholFactorSymbolic, mju_cholFactorNumeric, mju_cholSolveSparse and mju_cholUpdateSparse.
//
// H = L' L, from the last dof to the first. The order of sums depends on where L has numbers, and
// that on the rows of constraints of each env. Lanes that have numbers at the same places share a
// pattern.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/island.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
class SparseCholesky {
 public:
  static constexpr int kLanes = kLanesOf<V>;

  // The element in a row and a column of the lower triangle.
  V& operator()(int row, int column) { return l_[row][column]; }

  // Finds where the factors of an island have numbers, and clears the matrix.
  void Begin(const StepModel& m, const Island<V>& island) {
    nv_ = island.nv;
    for (int i = 0; i < nv_; ++i) {
      for (int j = 0; j <= i; ++j) l_[i][j] = All<V>(0);
    }
    FindPatterns(m, island);
  }

  // Turns the matrix into its factor.
  void Factor() {
    for (int r = nv_ - 1; r >= 0; --r) {
      V* const row = l_[r];
      for (int n = 0; n < below_[r].size; ++n) {
        const auto& [lanes, below] = below_[r].items[n];
        const Mask<V> mask = MaskOf<V>(lanes);
        for (const int c : *below) {
          const V scale = below_[r].size == 1 ? l_[c][r] : Pick<V>(mask, l_[c][r], All<V>(0));
          const unsigned char* const columns = row_[c].items;
          const V* const other = l_[c];
          for (int k = 0, last = columns_[c].Rank(r); k <= last; ++k) {
            const int j = columns[k];
            row[j] = row[j] - scale * other[j];
          }
        }
      }
      const V diagonal = row[r], root = Sqrt<V>(Larger(diagonal)), scale = 1 / root;
      for (const int j : row_[r]) row[j] = row[j] * scale;
      row[r] = root;
    }
  }

  void Solve(const V* y, V* x) const {
    for (int i = 0; i < nv_; ++i) x[i] = y[i];
    for (int i = nv_ - 1; i >= 0; --i) {
      const V* const row = l_[i];
      x[i] = x[i] / row[i];
      row_[i].ForEachBackwards([&](int j) { x[j] = x[j] - row[j] * x[i]; });
    }
    for (int i = 0; i < nv_; ++i) {
      V sum = RowTimes(*rows_[i].items[0].list, i, x);
      for (int n = 1; n < rows_[i].size; ++n) {
        const auto& [lanes, row] = rows_[i].items[n];
        sum = Pick<V>(MaskOf<V>(lanes), RowTimes(*row, i, x), sum);
      }
      x[i] = (x[i] - sum) / l_[i][i];
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
  struct DofList {
    int size;
    unsigned char items[kMaxDofs];

    void Add(int v) { items[size++] = static_cast<unsigned char>(v); }
    const unsigned char* begin() const { return items; }
    const unsigned char* end() const { return items + size; }
    // The last one first: the row that comes next waits for it.
    template <class F>
    void ForEachBackwards(const F& f) const {
      for (int k = size - 1; k >= 0; --k) f(items[k]);
    }
  };
  // Dofs that rows of constraints link, and the lanes in which they do.
  struct Link {
    DofSet dofs;
    unsigned lanes;
  };
  struct Pattern {
    unsigned lanes;
    DofList row[kMaxDofs];    // columns of each row before its diagonal
    DofList below[kMaxDofs];  // rows of each column below its diagonal, as libmujoco lists them
  };
  // The lists of a row or a column that differ between the lanes. The first holds for the lanes of
  // none, too.
  struct Lists {
    int size;
    struct {
      unsigned lanes;
      const DofList* list;
    } items[kLanes];

    void Add(unsigned lanes, const DofList& list) {
      for (int n = 0; n < size; ++n) {
        const DofList& known = *items[n].list;
        if (known.size != list.size || __builtin_memcmp(known.items, list.items, list.size) != 0)
          continue;
        items[n].lanes |= lanes;
        return;
      }
      items[size++] = {lanes, &list};
    }
  };

  static V Larger(const V& x) { return Pick<V>(x < mjMINVAL, All<V>(mjMINVAL), x); }
  V RowTimes(const DofList& columns, int i, const V* x) const {
    const unsigned char* const c = columns.items;
    return SparseDot<V>(
        columns.size, [&](int k) { return l_[i][c[k]]; }, [&](int k) { return x[c[k]]; });
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
        FindPattern(pattern);
      } else {
        TakePattern(pattern);
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
  // Without links, the factor has numbers where the matrix of inertia has them.
  void TakePattern(Pattern& pattern) const {
    for (int i = 0; i < nv_; ++i) pattern.row[i].size = pattern.below[i].size = 0;
    for (int i = 0; i < nv_; ++i) {
      inertia_[i].ForEach([&](int j) {
        pattern.row[i].Add(j);
        pattern.below[j].Add(i);
      });
    }
  }
  void FindPattern(Pattern& pattern) const {
    int parent[kMaxDofs], last[kMaxDofs];  // last: the column in which a row was found last
    DofSet rows[kMaxDofs], filled[kMaxDofs];
    for (int i = 0; i < nv_; ++i) rows[i] = filled[i] = {};
    for (int i = 0; i < nv_; ++i) inertia_[i].ForEach([&](int j) { rows[j].Add(i); });
    for (int n = 0; n < num_links_; ++n) {
      if ((links_[n].lanes & pattern.lanes) == 0) continue;
      links_[n].dofs.ForEach([&](int j) { rows[j] = rows[j] | links_[n].dofs; });
    }
    for (int r = nv_ - 1; r >= 0; --r) {
      parent[r] = -1;
      last[r] = r;
      pattern.below[r].size = 0;
      rows[r].From(r + 1, nv_ - r - 1).ForEach([&](int n) {
        int i = r + 1 + n;
        while (last[i] != r) {
          if (parent[i] == -1) parent[i] = r;
          filled[i].Add(r);
          pattern.below[r].Add(i);
          last[i] = r;
          i = parent[i];
        }
      });
    }
    for (int i = 0; i < nv_; ++i) {
      pattern.row[i].size = 0;
      filled[i].ForEach([&](int j) { pattern.row[i].Add(j); });
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
  DofList row_[kMaxDofs];     // columns that a row has in any pattern, before its diagonal
  DofSet columns_[kMaxDofs];  // the same
  Lists rows_[kMaxDofs], below_[kMaxDofs];
  V l_[kMaxDofs][kMaxDofs];
};

}  // namespace parallel_pool::mujoco::lanes
