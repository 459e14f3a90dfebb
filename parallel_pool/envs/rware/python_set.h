// The order in which CPython iterates over a set of pairs of integers. networkx, which rware uses,
// iterates over sets of cells, and that order decides which of two agents enters a cell.
//
// CPython 3.8 to 3.14 have this order: a pair is hashed by xxHash, and a set is an open table that
// grows by four and is probed in runs of ten entries. rware's results are the same in each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallel_pool::rware {

class PythonSet {
 public:
  // Makes a set with room for `most` pairs. Later calls do not allocate.
  explicit PythonSet(size_t most);

  void Clear();
  // Adds the pair (x, y), which is not in the set, with a number of the caller's.
  void Add(int64_t x, int64_t y, int32_t number);
  // Calls `use(number)` for each pair, in the set's order.
  template <class Use>
  void ForEach(const Use& use) const {
    for (const Entry& entry : table_) {
      if (entry.number != kFree) use(entry.number);
    }
  }

 private:
  static constexpr int32_t kFree = -1;
  struct Entry {
    uint64_t hash;
    int32_t number = kFree;
  };

  void Insert(const Entry& entry);
  void Grow();

  std::vector<Entry> table_, old_;  // a power of two of entries
  size_t size_ = 0;
};

}  // namespace parallel_pool::rware
