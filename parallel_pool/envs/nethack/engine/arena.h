// The heap of a game: one piece of memory, whose blocks are all free after Clear(). A game that
// ends frees nothing, so each new one begins with an empty arena.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace parallel_pool::nethack {

class Arena {
 public:
  // `memory`: `bytes` bytes, aligned to 16, which outlive the arena.
  Arena(uint8_t* memory, size_t bytes) : begin_(memory), end_(memory + bytes) { Clear(); }

  void Clear();
  // A block of `bytes` bytes, aligned to 16; nullptr if the arena is full.
  void* Allocate(size_t bytes);
  // Frees a block of Allocate; ignores other addresses.
  void Free(void* block);
  // A block of `bytes` bytes that begins with the data of `block`, which is freed if it is another
  // one. nullptr, with nothing freed, if the arena is full.
  void* Reallocate(void* block, size_t bytes);

 private:
  // Sizes of blocks: the multiples of 16 up to kSmall, then the powers of 2.
  static constexpr size_t kSmall = 512, kHeader = 16;
  static constexpr int kClasses = 64;

  static int ClassOf(size_t bytes);
  static size_t SizeOf(int size_class);
  bool Has(const void* block) const { return block > begin_ && block < top_; }

  uint8_t* const begin_;
  uint8_t* const end_;
  uint8_t* top_ = nullptr;                 // memory from here on was never used
  std::array<void*, kClasses> free_ = {};  // a list of free blocks of each size; each has the next
};

}  // namespace parallel_pool::nethack
