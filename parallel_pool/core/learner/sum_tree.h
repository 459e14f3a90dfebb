// A binary tree of sums: draws rows in proportion to their priorities.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace parallel_pool {

// Node 1 is the root, nodes 2 i and 2 i + 1 are below node i, and each is the sum of the two below
// it: first + second, in float64. The leaves are the rows, in their order.
class SumTree {
 public:
  explicit SumTree(int64_t rows)
      : first_leaf_(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rows)))),
        sums_(2 * first_leaf_) {}

  double total() const { return sums_[1]; }
  double Get(int64_t row) const { return sums_[first_leaf_ + row]; }

  void Set(int64_t row, double priority) {
    int64_t node = first_leaf_ + row;
    sums_[node] = priority;
    for (node /= 2; node > 0; node /= 2) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }

  // The row whose priorities, added up in the order of rows, first exceed `sum`. Never a row of
  // priority 0 if there is another one: rounding may lead past the last row.
  int64_t Find(double sum) const {
    int64_t node = 1;
    while (node < first_leaf_) {
      const double first = sums_[2 * node], second = sums_[2 * node + 1];
      const bool goes_right = first == 0 || (sum >= first && second > 0);
      if (goes_right) sum -= first;
      node = 2 * node + (goes_right ? 1 : 0);
    }
    return node - first_leaf_;
  }

  std::vector<double>& sums() { return sums_; }
  const std::vector<double>& sums() const { return sums_; }

 private:
  const int64_t first_leaf_;
  std::vector<double> sums_;
};

}  // namespace parallel_pool
