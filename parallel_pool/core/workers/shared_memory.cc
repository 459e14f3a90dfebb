#include "parallel_pool/core/workers/shared_memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool {
namespace {

constexpr uint64_t kStep = uint64_t{1} << 20;  // the file grows by multiples of it
constexpr uint64_t kAlignment = 64;            // a cache line

uint64_t RoundUp(uint64_t n, uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Closes the file if it cannot be mapped.
std::span<std::byte> Map(int file) {
  try {
    return platform::MapFile(file);
  } catch (...) {
    platform::CloseFile(file);
    throw;
  }
}

}  // namespace

SharedMemory::SharedMemory() : SharedMemory(platform::MakeFile()) {}

SharedMemory::SharedMemory(int file) : file_(file), memory_(Map(file)) {}

SharedMemory::~SharedMemory() {
  platform::UnmapFile(memory_);
  CloseFile();
}

void SharedMemory::CloseFile() {
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) platform::CloseFile(std::exchange(file_, -1));
}

std::byte* SharedMemory::Allocate(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const uint64_t begin = RoundUp(used_, kAlignment);
  const uint64_t end = begin + static_cast<uint64_t>(bytes);
  if (end > memory_.size()) throw std::bad_alloc();
  if (end > size_) {
    const uint64_t size = RoundUp(std::max(end, 2 * size_ < kStep * 64 ? 2 * size_ : end), kStep);
    if (!platform::GrowFile(file_, size_, size)) throw std::bad_alloc();
    size_ = size;
  }
  used_ = end;
  return memory_.data() + begin;
}

}  // namespace parallel_pool
