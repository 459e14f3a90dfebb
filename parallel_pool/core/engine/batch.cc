#include "parallel_pool/core/engine/batch.h"

#include <bit>
#include <new>
#include <utility>

namespace parallel_pool {
namespace {

constexpr int64_t kCacheLine = 64;

int64_t RoundUp(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

int PowerOf(int rows) {
  return std::bit_width(static_cast<uint32_t>(rows - 1));
}

}  // namespace

Batch::Batch(const std::vector<Column>& columns, int capacity) : capacity_(capacity) {
  int64_t bytes = 0;
  for (const Column& c : columns) bytes += RoundUp(c.row_bytes() * capacity, kCacheLine);
  block_.reset(new (std::align_val_t{kCacheLine}) std::byte[bytes]);
  std::byte* next = block_.get();
  for (const Column& c : columns) {
    columns_.push_back(next);
    next += RoundUp(c.row_bytes() * capacity, kCacheLine);
  }
}

void Batch::Fail(Failure failure) {
  const std::lock_guard lock(failures_mutex_);
  failures_.push_back(std::move(failure));
}

void Batch::Release() {
  const std::shared_ptr<BatchCache> cache = std::move(cache_);
  cache->Return(this);
}

BatchCache::~BatchCache() {
  for (const auto& batches : idle_) {
    for (Batch* batch : batches) delete batch;
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
    if (!idle_[power].empty()) {
      batch = idle_[power].back();
      idle_[power].pop_back();
    }
  }
  if (batch == nullptr) batch = new Batch(columns_, 1 << power);
  batch->cache_ = shared_from_this();
  batch->rows_ = rows;
  batch->first_row_ = first_row;
  batch->failures_.clear();
  batch->unfinished_.Start(rows);
  return batch;
}

void BatchCache::Return(Batch* batch) {
  const std::lock_guard lock(mutex_);
  idle_[PowerOf(batch->capacity_)].push_back(batch);
}

}  // namespace parallel_pool
