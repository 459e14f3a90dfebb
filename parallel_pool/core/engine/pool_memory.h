// Where the arrays of a pool are, which those read and write that run its envs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool {

class PoolMemory {
 public:
  virtual ~PoolMemory() = default;
  // Zeros on a cache line, which are freed with the PoolMemory. Throws std::bad_alloc.
  virtual std::byte* Allocate(int64_t bytes) = 0;
};

// Keeps pages of memory in their place, so that a device can copy them by itself. Any thread.
class PageLocks {
 public:
  virtual ~PageLocks() = default;
  // Whole pages. Throws std::runtime_error.
  virtual void Lock(std::byte* memory, int64_t bytes) = 0;
  // Memory that Lock has locked, before it is freed.
  virtual void Unlock(std::byte* memory) noexcept = 0;
};

struct FreeBlock {
  bool is_owned = true;  // else a PoolMemory has it
  std::align_val_t alignment{64};
  PageLocks* locks = nullptr;  // outlives the block; nullptr: it is not locked
  void operator()(std::byte* p) const {
    if (locks != nullptr) locks->Unlock(p);
    if (is_owned) ::operator delete[](p, alignment);
  }
};
using Block = std::unique_ptr<std::byte[], FreeBlock>;

// Bytes on a cache line: of `memory`, or without one of the heap, where they are not set.
inline Block MakeBlock(PoolMemory* memory, int64_t bytes) {
  if (memory != nullptr) return Block(memory->Allocate(bytes), FreeBlock{false});
  return Block(new (std::align_val_t{64}) std::byte[bytes]);
}

// The same on pages of its own, which are locked.
inline Block MakeLockedBlock(PoolMemory* memory, int64_t bytes, PageLocks* locks) {
  const int64_t page = platform::PageSize();
  const int64_t size = (bytes + page - 1) / page * page;
  Block block;
  if (memory != nullptr) {
    const auto address = reinterpret_cast<uintptr_t>(memory->Allocate(size + page));
    const uintptr_t begin = (address + page - 1) / page * page;
    block = Block(reinterpret_cast<std::byte*>(begin), FreeBlock{false});
  } else {
    const auto alignment = static_cast<std::align_val_t>(page);
    block = Block(new (alignment) std::byte[size], FreeBlock{true, alignment});
  }
  locks->Lock(block.get(), size);
  block.get_deleter().locks = locks;
  return block;
}

// A fixed number of elements in a Block.
template <class T>
class PoolArray {
 public:
  PoolArray(PoolMemory* memory, int64_t size)
      : block_(MakeBlock(memory, size * static_cast<int64_t>(sizeof(T)))), size_(size) {
    for (int64_t i = 0; i < size; ++i) std::construct_at(data() + i);
  }

  T* data() const { return reinterpret_cast<T*>(block_.get()); }
  bool empty() const { return size_ == 0; }
  T& operator[](int64_t i) const { return data()[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }

 private:
  static_assert(std::is_trivially_destructible_v<T>);

  const Block block_;
  const int64_t size_;
};

}  // namespace parallel_pool
