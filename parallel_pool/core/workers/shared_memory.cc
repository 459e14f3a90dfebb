#include "parallel_pool/core/workers/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace parallel_pool {
namespace {

constexpr uint64_t kLargestWindow = uint64_t{1} << 38, kSmallestWindow = uint64_t{1} << 30;
constexpr uint64_t kStep = uint64_t{1} << 20;  // the file grows by multiples of it
constexpr uint64_t kAlignment = 64;            // a cache line

[[noreturn]] void ThrowSystem(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

uint64_t RoundUp(uint64_t n, uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

SharedMemory::SharedMemory() : fd_(memfd_create("parallel_pool", MFD_CLOEXEC)) {
  if (fd_ < 0) ThrowSystem("memfd_create");
  Map();
}

SharedMemory::SharedMemory(const char* path) : fd_(open(path, O_RDWR | O_CLOEXEC)) {
  if (fd_ < 0) ThrowSystem(path);
  Map();
}

// Reserves address space, in which the file can grow. A limit of the process may allow less.
void SharedMemory::Map() {
  for (window_ = kLargestWindow; window_ >= kSmallestWindow; window_ /= 4) {
    void* const found =
        mmap(nullptr, window_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
    if (found == MAP_FAILED) continue;
    base_ = static_cast<std::byte*>(found);
    madvise(base_, window_, MADV_DONTDUMP);
    return;
  }
  close(fd_);
  ThrowSystem("mmap");
}

SharedMemory::~SharedMemory() {
  munmap(base_, window_);
  CloseFile();
}

void SharedMemory::CloseFile() {
  const std::lock_guard lock(mutex_);
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

std::byte* SharedMemory::Allocate(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const uint64_t begin = RoundUp(used_, kAlignment);
  const uint64_t end = begin + static_cast<uint64_t>(bytes);
  if (end > window_) throw std::bad_alloc();
  if (end > size_) {
    const uint64_t size = RoundUp(std::max(end, 2 * size_ < kStep * 64 ? 2 * size_ : end), kStep);
    // Takes the memory now: later, a process that writes to it could only be killed.
    if (posix_fallocate(fd_, static_cast<off_t>(size_), static_cast<off_t>(size - size_)) != 0) {
      throw std::bad_alloc();
    }
    size_ = size;
  }
  used_ = end;
  return base_ + begin;
}

}  // namespace parallel_pool
