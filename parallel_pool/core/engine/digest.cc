#include "parallel_pool/core/engine/digest.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

namespace parallel_pool {
namespace {

// A bijection of the sum, and of the word: a changed word always changes the sum.
void Mix(uint64_t& sum, uint64_t word) {
  sum = std::rotl((sum ^ word) * 0x9E3779B97F4A7C15, 29);
}

// Four words at a time, each with a sum of its own, so that they do not wait for one another.
class Digest {
 public:
  void Add(const std::byte* bytes, size_t count) {
    for (; count >= 32; bytes += 32, count -= 32) {
      uint64_t words[4];
      std::memcpy(words, bytes, sizeof words);
      for (int k = 0; k < 4; ++k) Mix(sums_[k], words[k]);
    }
    for (; count > 0;) {
      const size_t n = count < 8 ? count : 8;
      uint64_t word = n;  // "a" and "a\0" differ
      std::memcpy(&word, bytes, n);
      Mix(sums_[0], word);
      bytes += n;
      count -= n;
    }
  }
  uint64_t Value() const {
    uint64_t value = 0;
    for (const uint64_t sum : sums_) Mix(value, sum);
    return value;
  }

 private:
  uint64_t sums_[4] = {1, 2, 3, 4};
};

}  // namespace

uint64_t DigestOf(const BatchLayout& layout, const Batch& batch) {
  Digest digest;
  const auto* const players =
      layout.most_players() > 0 ? batch.column<int32_t>(layout.players_column()) : nullptr;
  for (size_t k = 0; k < layout.columns().size(); ++k) {
    const Column& column = layout.columns()[k];
    if (column.name.empty() || column.is_pickled()) continue;
    const std::byte* const rows = batch.columns()[k];
    const int64_t bytes = column.row_bytes();
    if (column.players == 0) {
      digest.Add(rows, bytes * batch.rows());
      continue;
    }
    for (int row = 0; row < batch.rows(); ++row) {
      digest.Add(rows + row * bytes, bytes / column.players * players[row]);
    }
  }
  return digest.Value();
}

void RunDigest::Add(uint64_t digest) {
  Mix(sum_, digest);
  ++count_;
}

uint64_t RunDigest::Take() {
  count_ = 0;
  return std::exchange(sum_, 0);
}

}  // namespace parallel_pool
