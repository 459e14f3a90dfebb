#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <system_error>

#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool::platform {
namespace {

constexpr uint64_t kLargestWindow = uint64_t{1} << 38, kSmallestWindow = uint64_t{1} << 30;

}  // namespace

int64_t AddressSpaceLeft() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<int64_t>::max();
  }
  int64_t used_pages = 0;
  std::ifstream("/proc/self/statm") >> used_pages;
  return std::max<int64_t>(0, limit.rlim_cur - used_pages * PageSize());
}

int MakeFile() {
  const int file = memfd_create("parallel_pool", MFD_CLOEXEC);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  return file;
}

std::span<std::byte> MapFile(int file) {
  for (uint64_t size = kLargestWindow; size >= kSmallestWindow; size /= 4) {
    void* const memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED) continue;
    madvise(memory, size, MADV_DONTDUMP);
    return {static_cast<std::byte*>(memory), size};
  }
  throw std::system_error(errno, std::generic_category(), "mmap");
}

// A process that writes to memory which the system does not have is killed: so it is taken now.
bool GrowFile(int file, uint64_t size, uint64_t larger) {
  return posix_fallocate(file, static_cast<off_t>(size), static_cast<off_t>(larger - size)) == 0;
}

}  // namespace parallel_pool::platform
