#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <random>
#include <system_error>

#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool::platform {
namespace {

constexpr uint64_t kLargestFile = uint64_t{1} << 38, kSmallestWindow = uint64_t{1} << 30;

}  // namespace

int64_t AddressSpaceLeft() {
  return std::numeric_limits<int64_t>::max();
}

int MakeFile() {
  std::random_device random;
  char name[32];  // macOS allows 31 characters
  int file = -1;
  do {
    std::snprintf(name, sizeof name, "/pool-%08x%08x", random(), random());
    file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  } while (file < 0 && errno == EEXIST);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "shm_open");
  shm_unlink(name);
  // The file's last size, because macOS does not change it twice.
  const uint64_t size = std::min<uint64_t>(kLargestFile, PhysicalMemory());
  if (ftruncate(file, static_cast<off_t>(size)) != 0) {
    const std::system_error error(errno, std::generic_category(), "ftruncate");
    close(file);
    throw error;
  }
  return file;
}

std::span<std::byte> MapFile(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) throw std::system_error(errno, std::generic_category(), "fstat");
  const auto largest = static_cast<uint64_t>(status.st_size);
  for (uint64_t size = largest; size >= std::min(largest, kSmallestWindow); size /= 4) {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) return {static_cast<std::byte*>(memory), size};
  }
  throw std::system_error(errno, std::generic_category(), "mmap");
}

bool GrowFile(int, uint64_t, uint64_t) {
  return true;
}

}  // namespace parallel_pool::platform
