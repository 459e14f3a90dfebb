// The rows of batches, as those see them that write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallel_pool {

class BatchRows {
 public:
  int rows() const { return rows_; }
  // Async pools: the position of row 0 among all rows of the pool.
  uint64_t first_row() const { return first_row_; }
  std::byte* const* columns() const { return columns_.data(); }
  template <class T>
  T* column(size_t k) const {
    return reinterpret_cast<T*>(columns_[k]);
  }

 protected:
  ~BatchRows() = default;

  int rows_ = 0;
  uint64_t first_row_ = 0;
  std::vector<std::byte*> columns_;
};

// Where rows are taken, and where it is known that they are written.
class RowTaker {
 public:
  // Async pools: takes the next `count` rows of all batches; returns the first.
  virtual uint64_t Take(int count) = 0;
  // The batch with this number; with its rows, if the number is from Take or from a ticket.
  virtual BatchRows& At(uint64_t number) = 0;
  // `count` more rows of a batch are written.
  virtual void Finish(BatchRows& batch, int count) = 0;
  // The env of a row threw. Allocates nothing, so that it works without memory.
  virtual void Fail(BatchRows& batch, int row) = 0;

 protected:
  ~RowTaker() = default;
};

}  // namespace parallel_pool
