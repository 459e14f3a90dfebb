#include "parallel_pool/core/engine/batch.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace parallel_pool {
namespace {

constexpr int64_t kCacheLine = 64;

int64_t RoundUp(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

int64_t BytesOf(const std::vector<Column>& columns, int capacity) {
  int64_t bytes = 0;
  for (const Column& c : columns) bytes += RoundUp(c.row_bytes() * capacity, kCacheLine);
  return bytes;
}

int PowerOf(int rows) {
  return std::bit_width(static_cast<uint32_t>(rows - 1));
}

}  // namespace

std::vector<std::byte*> PlacesOf(const std::vector<Column>& columns, int capacity,
                                 std::byte* block) {
  std::vector<std::byte*> places;
  for (const Column& c : columns) {
    places.push_back(block);
    block += RoundUp(c.row_bytes() * capacity, kCacheLine);
  }
  return places;
}

Batch::Batch(const std::vector<Column>& columns, int capacity, PoolMemory* memory, PageLocks* locks)
    : capacity_(capacity),
      block_(locks == nullptr ? MakeBlock(memory, BytesOf(columns, capacity))
                              : MakeLockedBlock(memory, BytesOf(columns, capacity), locks)),
      own_columns_(PlacesOf(columns, capacity, block_.get())),
      failed_(capacity) {
  columns_ = own_columns_;
}

void Batch::Release() {
  const std::shared_ptr<BatchCache> cache = std::move(cache_);
  cache->Return(this);
}

BatchCache::~BatchCache() {
  for (Batch* batch : idle_) {
    while (batch != nullptr) delete std::exchange(batch, batch->next_idle_);
  }
}

int64_t BatchCache::row_bytes() const {
  int64_t bytes = 0;
  for (const Column& c : columns_) bytes += c.row_bytes();
  return bytes;
}

Batch* BatchCache::Take(int rows, uint64_t first_row) {
  const int power = PowerOf(rows);
  Batch* batch = nullptr;
  {
    const std::lock_guard lock(mutex_);
    batch = idle_[power];
    if (batch != nullptr) idle_[power] = batch->next_idle_;
  }
  if (batch == nullptr) batch = Make(power);
  batch->columns_ = batch->own_columns_;
  batch->cache_ = shared_from_this();
  batch->rows_ = rows;
  batch->first_row_ = first_row;
  if (batch->any_failed_.exchange(false, std::memory_order_relaxed)) {
    std::fill(batch->failed_.begin(), batch->failed_.end(), 0);
  }
  batch->unfinished_.Start(rows);
  return batch;
}

Batch* BatchCache::Make(int power) {
  return new Batch(columns_, 1 << power, memory_.get(), locks_.get());
}

void BatchCache::Prepare(int rows, int count) {
  for (int i = 0; i < count; ++i) Return(Make(PowerOf(rows)));
}

void BatchCache::Return(Batch* batch) {
  const std::lock_guard lock(mutex_);
  Batch*& first = idle_[PowerOf(batch->capacity_)];
  batch->next_idle_ = std::exchange(first, batch);
}

}  // namespace parallel_pool
