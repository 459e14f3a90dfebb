// Windows counts processors in groups of at most 64. A processor's number here is 64 times its
// group, plus its place in the group.
#include <windows.h>

#include <array>
#include <span>
#include <type_traits>

#include "parallel_pool/core/platform/processors.h"

namespace parallel_pool::platform {
namespace {

constexpr int kOfGroup = 64;
constexpr USHORT kMostGroups = 64;  // more than any Windows has

static_assert(std::is_same_v<Thread, HANDLE>, "threads are those of Windows");

void Append(std::vector<int>* processors, WORD group, KAFFINITY mask) {
  for (int i = 0; i < kOfGroup; ++i) {
    if (mask >> i & 1) processors->push_back(kOfGroup * group + i);
  }
}

KAFFINITY MaskOfGroup(WORD group) {
  const DWORD processors = GetActiveProcessorCount(group);
  return processors >= kOfGroup ? ~KAFFINITY{0} : (KAFFINITY{1} << processors) - 1;
}

}  // namespace

std::vector<int> UsableProcessors() {
  std::array<USHORT, kMostGroups> groups{};
  USHORT count = kMostGroups;
  if (!GetProcessGroupAffinity(GetCurrentProcess(), &count, groups.data())) count = 1;  // group 0
  std::vector<int> processors;
  DWORD_PTR process = 0, system = 0;
  // Only a process in one group can be kept to some of its processors.
  if (count == 1 && GetProcessAffinityMask(GetCurrentProcess(), &process, &system)) {
    Append(&processors, groups[0], process);
    return processors;
  }
  for (const USHORT group : std::span(groups).first(count)) {
    Append(&processors, group, MaskOfGroup(group));
  }
  return processors;
}

// This handle stands for whichever thread uses it, so that thread must call Pin itself.
Thread ThisThread() {
  return GetCurrentThread();
}

// A thread runs in one group only: that of the first processor.
void Pin(Thread thread, const std::vector<int>& processors) {
  if (processors.empty()) return;
  GROUP_AFFINITY affinity{};
  affinity.Group = static_cast<WORD>(processors.front() / kOfGroup);
  for (const int processor : processors) {
    if (processor / kOfGroup == affinity.Group) {
      affinity.Mask |= KAFFINITY{1} << processor % kOfGroup;
    }
  }
  SetThreadGroupAffinity(thread, &affinity, nullptr);
}

}  // namespace parallel_pool::platform
