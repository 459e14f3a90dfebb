#include "parallel_pool/envs/rware/python_set.h"

#include <bit>

namespace parallel_pool::rware {
namespace {

constexpr size_t kFirstTable = 8;  // entries
constexpr size_t kRun = 10;        // neighbors that are probed before a jump

// CPython's hash of a tuple of two integers that are not negative.
uint64_t HashOf(int64_t x, int64_t y) {
  constexpr uint64_t kPrime1 = 11400714785074694791u, kPrime2 = 14029467366897019727u,
                     kPrime5 = 2870177450012600261u;  // of xxHash
  uint64_t hash = kPrime5;
  for (const int64_t item : {x, y}) {
    hash = std::rotl(hash + static_cast<uint64_t>(item) * kPrime2, 31) * kPrime1;
  }
  hash += 2 ^ kPrime5 ^ 3527539;
  return hash == ~uint64_t{0} ? 1546275796 : hash;
}

// The entries of a table that has grown for `size` pairs.
size_t GrownTable(size_t size) {
  size_t entries = kFirstTable;
  while (entries <= 4 * size) entries *= 2;
  return entries;
}

}  // namespace

PythonSet::PythonSet(size_t most) {
  table_.reserve(GrownTable(most));
  old_.reserve(GrownTable(most));
  Clear();
}

void PythonSet::Clear() {
  table_.assign(kFirstTable, {});
  size_ = 0;
}

void PythonSet::Add(int64_t x, int64_t y, int32_t number) {
  Insert({HashOf(x, y), number});
  ++size_;
  if (5 * size_ >= 3 * (table_.size() - 1)) Grow();
}

void PythonSet::Insert(const Entry& entry) {
  const size_t mask = table_.size() - 1;
  size_t place = entry.hash & mask;
  for (uint64_t rest = entry.hash;;) {
    const size_t run = place + kRun <= table_.size() ? kRun : 1;
    for (size_t i = place; i < place + run; ++i) {
      if (table_[i].number != kFree) continue;
      table_[i] = entry;
      return;
    }
    rest >>= 5;
    place = (5 * place + 1 + rest) & mask;
  }
}

void PythonSet::Grow() {
  old_.swap(table_);
  table_.assign(GrownTable(size_), {});
  for (const Entry& entry : old_) {
    if (entry.number != kFree) Insert(entry);
  }
}

}  // namespace parallel_pool::rware
