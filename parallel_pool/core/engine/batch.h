// The memory that a user receives: one block that holds every column of a batch.
//
//   | obs: rows x 28224 B | ... | reward: rows x 4 B | terminated | ... |    columns start on
//     ^ row 0, row 1, ...                                                    cache lines
//
// Workers write rows in place and count them down. Whoever receives the batch owns it until
// Release(); then it is used again, without being freed, zeroed or faulted in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/engine/countdown.h"

namespace parallel_pool {

// An env that threw while it made its row.
struct Failure {
  int32_t env;
  int32_t row;
  int32_t elapsed_step;
  std::string what;
};

class BatchCache;

class Batch {
 public:
  int rows() const { return rows_; }
  // Async pools: position of row 0 among all rows of the pool.
  uint64_t first_row() const { return first_row_; }
  std::byte* const* columns() const { return columns_.data(); }
  template <class T>
  T* column(size_t k) const {
    return reinterpret_cast<T*>(columns_[k]);
  }

  // Workers: `count` more rows are written.
  void Finish(int count) { unfinished_.Finish(count); }
  // Workers: the env of a row threw.
  void Fail(Failure failure);

  bool ready() const { return unfinished_.done(); }
  // Receiver: sleeps until ready(), for `limit` at the most.
  bool Wait(std::chrono::nanoseconds limit) { return unfinished_.Wait(limit); }
  // Receiver, once ready: what failed, in no order.
  const std::vector<Failure>& failures() const { return failures_; }
  // Receiver: nothing points into the batch any more.
  void Release();

 private:
  friend class BatchCache;

  Batch(const std::vector<Column>& columns, int capacity);
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };

  const int capacity_;
  int rows_ = 0;
  uint64_t first_row_ = 0;
  std::unique_ptr<std::byte[], Free> block_;
  std::vector<std::byte*> columns_;
  std::shared_ptr<BatchCache> cache_;  // while in use: the block may outlive the pool
  std::mutex failures_mutex_;
  std::vector<Failure> failures_;
  Countdown unfinished_;  // rows
};

// The batches of a pool that nobody uses at the moment.
class BatchCache : public std::enable_shared_from_this<BatchCache> {
 public:
  explicit BatchCache(std::vector<Column> columns) : columns_(std::move(columns)) {}
  ~BatchCache();

  const std::vector<Column>& columns() const { return columns_; }
  int64_t row_bytes() const;
  // A batch that waits for `rows` rows. A block fits any number of rows up to the next power of
  // two, so that a small result never holds the memory of a large one.
  Batch* Take(int rows, uint64_t first_row);

 private:
  friend class Batch;
  void Return(Batch* batch);

  const std::vector<Column> columns_;
  std::mutex mutex_;
  std::vector<Batch*> idle_[32];  // by the power of two
};

}  // namespace parallel_pool
