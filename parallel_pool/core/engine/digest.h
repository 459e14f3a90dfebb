// A number that nearly always differs if anything differs that the user receives in a batch.
#pragma once

#include <cstdint>

#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/batch_layout.h"

namespace parallel_pool {

// The batch is finished, and not read yet. Infos of Python objects are left out: their bytes may
// differ where the objects are equal.
uint64_t DigestOf(const BatchLayout& layout, const Batch& batch);

// The same of results that follow one another, by their digests.
class RunDigest {
 public:
  void Add(uint64_t digest);
  // The results since the last Take.
  int64_t count() const { return count_; }
  uint64_t Take();

 private:
  uint64_t sum_ = 0;
  int64_t count_ = 0;
};

}  // namespace parallel_pool
