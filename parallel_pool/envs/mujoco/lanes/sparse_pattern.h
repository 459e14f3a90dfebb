// Where the factor L of a sparse matrix has numbers, and in which order libmujoco takes them:
// mju_cholFactorSymbolic. H = L' L, from the last dof to the first.
//
// `V` only keeps the code of several instruction sets apart.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/dof_set.h"
#include "parallel_pool/envs/mujoco/lanes/mujoco_version.h"
#include "parallel_pool/envs/mujoco/lanes/step_model.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
struct DofList {
  int size;
  unsigned char items[kMaxDofs];

  void Add(int v) { items[size++] = static_cast<unsigned char>(v); }
  const unsigned char* begin() const { return items; }
  const unsigned char* end() const { return items + size; }
  bool operator==(const DofList& other) const {
    return size == other.size && __builtin_memcmp(items, other.items, size) == 0;
  }
  // The last one first: the row that comes next waits for it.
  template <class F>
  void ForEachBackwards(const F& f) const {
    for (int k = size - 1; k >= 0; --k) f(items[k]);
  }
};

// The rows below the diagonal of a column, in the order in which libmujoco subtracts them from the
// row of that diagonal. MuJoCo 4 sums some of them apart, and then subtracts their sum.
template <class V>
struct RowsBelow {
  DofList<V> first, apart, then;

  bool operator==(const RowsBelow& other) const {
    return first == other.first && apart == other.apart && then == other.then;
  }
};

template <class V>
struct SparsePattern {
  static constexpr int kMostSolved = 3;  // rows that MuJoCo 4 solves together

  unsigned lanes;
  DofList<V> row[kMaxDofs];  // columns of each row before its diagonal
  RowsBelow<V> below[kMaxDofs];
  // For MuJoCo 4: the numbers of each row and of those that its elimination changes (its last
  // column before the diagonal, and so on), and the squares of the numbers of all rows.
  int path[kMaxDofs], work;

  // Lists the numbers of the factor of a matrix that has `inertia[i]` as the columns of row i
  // before its diagonal, and for which `link(rows)` adds what rows of constraints link: to rows[v]
  // each dof that is linked with v.
  template <class Link>
  void Find(int nv, const DofSet* inertia, const Link& link) {
    int parent[kMaxDofs], last[kMaxDofs];  // last: the column in which a row was found last
    DofSet rows[kMaxDofs], filled[kMaxDofs];
    int known[kMaxDofs];  // numbers of each row of the matrix before its diagonal
    for (int i = 0; i < nv; ++i) rows[i] = filled[i] = {};
    for (int i = 0; i < nv; ++i) inertia[i].ForEach([&](int j) { rows[j].Add(i); });
    link(rows);
    for (int i = 0; i < nv; ++i) known[i] = 0;
    for (int r = nv - 1; r >= 0; --r) {
      parent[r] = -1;
      last[r] = r;
      below[r].first.size = 0;
      rows[r].From(r + 1, nv - r - 1).ForEach([&](int n) {
        int i = r + 1 + n;
        ++known[i];
        while (last[i] != r) {
          if (parent[i] == -1) parent[i] = r;
          filled[i].Add(r);
          below[r].first.Add(i);
          last[i] = r;
          i = parent[i];
        }
      });
    }
    for (int i = 0; i < nv; ++i) {
      row[i].size = 0;
      filled[i].ForEach([&](int j) { row[i].Add(j); });
    }
    Finish(nv, filled, known);
  }
  // Without links, the factor has numbers where the matrix has them.
  void Take(int nv, const DofSet* inertia) {
    int known[kMaxDofs];
    for (int i = 0; i < nv; ++i) row[i].size = below[i].first.size = 0;
    for (int i = 0; i < nv; ++i) {
      inertia[i].ForEach([&](int j) {
        row[i].Add(j);
        below[j].first.Add(i);
      });
      known[i] = row[i].size;
    }
    Finish(nv, inertia, known);
  }

  // Calls f(row, its place) for each row that MuJoCo 4 solves together with others: each has the
  // columns of the one before it and that one.
  template <class F>
  void ForEachSolvedTogether(int nv, const F& f) const {
    for (int i = 0; i < nv;) {
      int n = 1;
      while (n < kMostSolved && i + n < nv && Continues(i + n)) ++n;
      for (int place = 0; n > 1 && place < n; ++place) f(i + place, place);
      i += n;
    }
  }

 private:
  // Whether row i has the columns of the row before it and that row.
  bool Continues(int i) const {
    const DofList<V>&own = row[i], &before = row[i - 1];
    return own.size == before.size + 1 && own.items[before.size] == i - 1 &&
           __builtin_memcmp(own.items, before.items, before.size) == 0;
  }

  // columns: those of `row`. known: how many of them the matrix has.
  void Finish(int nv, const DofSet* columns, const int* known) {
    for (int i = 0; i < nv; ++i) below[i].apart.size = below[i].then.size = 0;
    if (!kIsMujoco4) return;
    FindOrder(nv, columns, known);
    work = 0;
    for (int i = 0; i < nv; ++i) {
      const int size = row[i].size;
      path[i] = size + 1 + (size > 0 ? path[row[i].items[size - 1]] : 0);
      work += (size + 1) * (size + 1);
    }
  }
  // MuJoCo 4 factorizes up to three rows together, from the last on, or four with no row below
  // them: each continues the one before it, and they have the same rows below them. Rows below all
  // of them come first, then they themselves, the last one first.
  void FindOrder(int nv, const DofSet* columns, const int* known) {
    constexpr int kMost = 3, kMostAtEnd = 4;
    DofSet rows[kMaxDofs];
    for (int i = 0; i < nv; ++i) rows[i] = {};
    for (int i = 0; i < nv; ++i) columns[i].ForEach([&](int j) { rows[j].Add(i); });
    for (int last = nv - 1; last >= 0;) {
      const int most = rows[last].empty() ? kMostAtEnd : kMost;
      int n = 1;
      for (; n < most && last - n >= 0 && Continues(last - n + 1); ++n) {
        DofSet same = rows[last - n + 1];
        same.Add(last - n + 1);
        if (!(rows[last - n] == same)) break;
      }
      // A row that has the columns of the matrix only, or is one of several, is changed in its
      // place by the rows below that have its last columns. Others are summed apart. The numbers of
      // another row are summed apart from the matrix, and so change places with them.
      const DofList<V> outside = below[last].first;
      const bool is_filled = n == 1 && known[last] != row[last].size;
      for (int place = 0; place < n; ++place) {
        const int r = last - place;
        below[r].first.size = 0;
        for (const int c : outside) {
          // The number of columns of row c before r; they may be the last ones of row r.
          const int size = columns[c].Rank(r);
          const bool has_last = size == 0 || row[r].items[row[r].size - size] == columns[c].First();
          (has_last != is_filled ? below[r].first : below[r].apart).Add(c);
        }
        for (int i = 0; i < place; ++i) below[r].then.Add(last - i);
      }
      last -= n;
    }
  }
};

}  // namespace parallel_pool::mujoco::lanes
