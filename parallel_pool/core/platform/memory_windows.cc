// Files in memory are for worker processes, which ParallelPool does not have on Windows yet.
#include <windows.h>

#include <limits>
#include <stdexcept>

#include "parallel_pool/core/platform/memory.h"

namespace parallel_pool::platform {
namespace {

[[noreturn]] void ThrowNoWorkers() {
  throw std::runtime_error("worker processes need Linux or macOS; this is Windows");
}

}  // namespace

int64_t PageSize() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

int64_t PhysicalMemory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  GlobalMemoryStatusEx(&status);
  return static_cast<int64_t>(status.ullTotalPhys);
}

// Windows limits memory that is allocated, not addresses; an allocation beyond a limit fails.
int64_t AddressSpaceLeft() {
  return std::numeric_limits<int64_t>::max();
}

int MakeFile() {
  ThrowNoWorkers();
}

void CloseFile(int) {}

std::span<std::byte> MapFile(int) {
  ThrowNoWorkers();
}

void UnmapFile(std::span<std::byte>) {}

bool GrowFile(int, uint64_t, uint64_t) {
  return false;
}

}  // namespace parallel_pool::platform
