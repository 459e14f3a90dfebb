// The functions of memory.h that are the same on all systems of POSIX.
#include <sys/mman.h>
#include <unistd.h>

#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool::platform {

int64_t PageSize() {
  return sysconf(_SC_PAGESIZE);
}

int64_t PhysicalMemory() {
  return sysconf(_SC_PHYS_PAGES) * PageSize();
}

void CloseFile(int file) {
  close(file);
}

void UnmapFile(std::span<std::byte> memory) {
  munmap(memory.data(), memory.size());
}

}  // namespace parallel_pool::platform
