// The unfinished batches of a pool, by their number.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/rows.h"

namespace parallel_pool {

class BatchRing final : public RowTaker {
 public:
  explicit BatchRing(size_t size) : slots_(size) {}
  ~BatchRing() {
    for (std::atomic<Batch*>& slot : slots_) {
      if (Batch* batch = slot.load()) batch->Release();
    }
  }

  size_t size() const { return slots_.size(); }
  std::atomic<Batch*>& operator[](uint64_t number) { return slots_[number % slots_.size()]; }

  uint64_t Take(int count) override {
    return rows_taken_.fetch_add(count, std::memory_order_acq_rel);
  }
  BatchRows& At(uint64_t number) override {
    return *(*this)[number].load(std::memory_order_acquire);
  }
  void Finish(BatchRows& batch, int count) override { static_cast<Batch&>(batch).Finish(count); }
  void Fail(BatchRows& batch, int row) override { static_cast<Batch&>(batch).Fail(row); }

 private:
  std::vector<std::atomic<Batch*>> slots_;
  alignas(64) std::atomic<uint64_t> rows_taken_{0};
};

}  // namespace parallel_pool
