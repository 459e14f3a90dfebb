// The memory that a user receives: one block that holds every column of a batch.
//
//   | obs: rows x 28224 B | ... | reward: rows x 4 B | terminated | ... |    columns start on
//     ^ row 0, row 1, ...                                                    cache lines
//
// Workers write rows in place and count them down. The receiver owns the batch until Release().
// Then the pool uses the block again, without freeing it, zeroing it or causing page faults.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/engine/countdown.h"
#include "parallel_pool/core/engine/pool_memory.h"
#include "parallel_pool/core/engine/rows.h"

namespace parallel_pool {

class BatchCache;

// Memory of the user for a column of one batch, with room for all rows.
struct ColumnPlace {
  size_t column;
  std::byte* data;
};

// Where each column begins in a block for `capacity` rows, which begins at `block`.
std::vector<std::byte*> PlacesOf(const std::vector<Column>& columns, int capacity,
                                 std::byte* block);

class Batch final : public BatchRows {
 public:
  // Workers: counts down the rows; `count` more are written.
  void Finish(int count) { unfinished_.Finish(count); }
  // Workers: marks a row whose env threw. Allocates nothing, so that it works without memory.
  void Fail(int row) {
    failed_[row] = 1;
    any_failed_.store(true, std::memory_order_relaxed);
  }

  bool ready() const { return unfinished_.done(); }
  // Rows that are not written yet.
  int unfinished() const { return unfinished_.remaining(); }
  // Sender, before the batch is known to workers: they write a column to `place`, which stays valid
  // until the batch is ready. Until Release, the column is there.
  void WriteTo(const ColumnPlace& place) { columns_[place.column] = place.data; }
  // Receiver, when no env writes a row any more: the batch is ready with its first `rows` rows.
  void CutTo(int rows) {
    const int missing = rows_ - rows;
    rows_ = rows;
    Finish(missing);
  }
  const std::byte* block() const { return block_.get(); }
  int capacity() const { return capacity_; }
  // Receiver: sleeps until ready(), at most for `limit`. Returns ready().
  bool Wait(std::chrono::nanoseconds limit) { return unfinished_.Wait(limit); }
  // Sender: whether it is a reset, whose rows have no rewards.
  void set_resets(bool resets) { resets_ = resets; }
  bool resets() const { return resets_; }
  // Receiver, once ready: whether an env threw, and whether the env of this row did.
  bool any_failed() const { return any_failed_.load(std::memory_order_relaxed); }
  bool failed(int row) const { return failed_[row] != 0; }
  // Receiver: gives the block back; no array may point into it any more.
  void Release();

 private:
  friend class BatchCache;

  Batch(const std::vector<Column>& columns, int capacity, PoolMemory* memory, PageLocks* locks);

  const int capacity_;
  const Block block_;
  const std::vector<std::byte*> own_columns_;  // in the block
  std::shared_ptr<BatchCache> cache_;          // set while in use: the block may outlive the pool
  std::vector<uint8_t> failed_;                // by row; Finish makes it visible to the receiver
  std::atomic<bool> any_failed_{false};
  bool resets_ = false;
  Batch* next_idle_ = nullptr;  // in the list of the cache
  Countdown unfinished_;        // counts rows
};

// The idle batches of a pool.
class BatchCache : public std::enable_shared_from_this<BatchCache> {
 public:
  // Blocks are of `memory`, or without one of the heap. They are locked if there are `locks`.
  explicit BatchCache(std::vector<Column> columns, std::shared_ptr<PoolMemory> memory = nullptr,
                      std::shared_ptr<PageLocks> locks = nullptr)
      : columns_(std::move(columns)), memory_(std::move(memory)), locks_(std::move(locks)) {}
  ~BatchCache();

  const std::vector<Column>& columns() const { return columns_; }
  int64_t row_bytes() const;
  // Returns a batch that waits for `rows` rows. A block has room for the next power of two, so that
  // a small result never uses the memory of a large one.
  Batch* Take(int rows, uint64_t first_row);
  // Makes `count` batches of `rows` rows, for Take.
  void Prepare(int rows, int count);

 private:
  friend class Batch;
  Batch* Make(int power);
  void Return(Batch* batch);

  const std::vector<Column> columns_;
  const std::shared_ptr<PoolMemory> memory_;
  const std::shared_ptr<PageLocks> locks_;
  std::mutex mutex_;
  // Lists of idle batches, by the binary logarithm of their room in rows. They are linked by
  // next_idle_, so that Return cannot fail.
  Batch* idle_[32] = {};
};

}  // namespace parallel_pool
