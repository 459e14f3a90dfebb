// Where the arrays of a pool are, which those read and write that run its envs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace parallel_pool {

class PoolMemory {
 public:
  virtual ~PoolMemory() = default;
  // Zeros on a cache line, which are freed with the PoolMemory. Throws std::bad_alloc.
  virtual std::byte* Allocate(int64_t bytes) = 0;
};

struct FreeBlock {
  bool is_owned = true;  // else a PoolMemory has it
  void operator()(std::byte* p) const {
    if (is_owned) ::operator delete[](p, std::align_val_t{64});
  }
};
using Block = std::unique_ptr<std::byte[], FreeBlock>;

// Bytes on a cache line: of `memory`, or without one of the heap, where they are not set.
inline Block MakeBlock(PoolMemory* memory, int64_t bytes) {
  if (memory != nullptr) return Block(memory->Allocate(bytes), FreeBlock{false});
  return Block(new (std::align_val_t{64}) std::byte[bytes]);
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
