// Memory that several processes share. It has no name, so nothing is left behind when they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <span>

#include "parallel_pool/core/engine/pool_memory.h"

namespace parallel_pool {

class SharedMemory final : public PoolMemory {
 public:
  // Throws std::runtime_error with the system's message if there is no shared memory.
  SharedMemory();
  // That of another process, whose file() this process has got as `file`, and which is closed here.
  // Throws std::runtime_error.
  explicit SharedMemory(int file);
  ~SharedMemory() override;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int file() const { return file_; }
  // No other process will open it, and it does not grow any more; the memory stays.
  void CloseFile();
  std::byte* Allocate(int64_t bytes) override;
  // Zeroed elements.
  template <class T>
  T* MakeArray(int64_t count) {
    return std::launder(reinterpret_cast<T*>(Allocate(count * static_cast<int64_t>(sizeof(T)))));
  }
  // The place of memory that Allocate has returned; the same in all processes.
  uint64_t OffsetOf(const void* p) const {
    return static_cast<uint64_t>(static_cast<const std::byte*>(p) - memory_.data());
  }
  template <class T>
  T* At(uint64_t offset) const {
    return reinterpret_cast<T*>(memory_.data() + offset);
  }

 private:
  int file_;                           // -1: closed
  const std::span<std::byte> memory_;  // address space, in which the file grows
  std::mutex mutex_;                   // of the rest
  uint64_t used_ = 0, size_ = 0;
};

}  // namespace parallel_pool
