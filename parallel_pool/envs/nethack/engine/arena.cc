#include "parallel_pool/envs/nethack/engine/arena.h"

#include <bit>
#include <cstring>

namespace parallel_pool::nethack {
namespace {

// The class of a block, which its header holds.
int& HeaderOf(void* block) {
  return static_cast<int*>(block)[-4];
}

}  // namespace

int Arena::ClassOf(size_t bytes) {
  if (bytes <= kSmall) return static_cast<int>((bytes + 15) / 16);
  return static_cast<int>(kSmall / 16) + std::bit_width(bytes - 1) - std::bit_width(kSmall - 1);
}

size_t Arena::SizeOf(int size_class) {
  constexpr int kLastSmall = kSmall / 16;
  return size_class <= kLastSmall ? size_t{16} * static_cast<size_t>(size_class)
                                  : kSmall << (size_class - kLastSmall);
}

void Arena::Clear() {
  top_ = begin_;
  free_.fill(nullptr);
}

void* Arena::Allocate(size_t bytes) {
  if (bytes == 0) bytes = 1;
  if (bytes > static_cast<size_t>(end_ - begin_)) return nullptr;
  const int size_class = ClassOf(bytes);
  void*& first = free_[static_cast<size_t>(size_class)];
  if (first != nullptr) {
    void* const block = first;
    std::memcpy(&first, block, sizeof(first));
    return block;
  }
  const size_t needed = kHeader + SizeOf(size_class);
  if (needed > static_cast<size_t>(end_ - top_)) return nullptr;
  uint8_t* const block = top_ + kHeader;
  top_ += needed;
  HeaderOf(block) = size_class;
  return block;
}

void Arena::Free(void* block) {
  if (!Has(block)) return;
  void*& first = free_[static_cast<size_t>(HeaderOf(block))];
  std::memcpy(block, &first, sizeof(first));
  first = block;
}

void* Arena::Reallocate(void* block, size_t bytes) {
  if (!Has(block)) return Allocate(bytes);
  const size_t size = SizeOf(HeaderOf(block));
  if (size >= bytes) return block;
  void* const larger = Allocate(bytes);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, block, size);
  Free(block);
  return larger;
}

}  // namespace parallel_pool::nethack
