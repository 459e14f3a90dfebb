// libcuda.so.1 for tests: a device whose streams do nothing until somebody waits for them.
//
// It notices what a real device would answer with wrong numbers or a crash: memory that is freed or
// written while a copy from it waits, and addresses of the device that the host reads. An address
// of the device is that of host memory with a bit flipped.
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr uint64_t kDeviceBit = uint64_t{1} << 62;

struct Copy {
  void* to;
  const void* from;
  std::vector<char> expected;  // what `from` had when the copy was asked for, if it is pinned
  int event = -1;
};

std::map<char*, size_t> pinned;
std::deque<Copy> waiting;
std::map<int, bool> events;  // whether they have come
int next_event = 1, contexts = 0;
std::string fault, log_;

bool IsPinned(const void* at, size_t bytes) {
  const auto* first = static_cast<const char*>(at);
  for (const auto& [memory, size] : pinned) {
    if (first >= memory && first + bytes <= memory + size) return true;
  }
  return false;
}

void Work(int until_event) {
  while (!waiting.empty()) {
    const Copy copy = waiting.front();
    waiting.pop_front();
    if (copy.event >= 0) {
      events[copy.event] = true;
      if (copy.event == until_event) return;
      continue;
    }
    if (!IsPinned(copy.from, copy.expected.size()) && !IsPinned(copy.to, copy.expected.size())) {
      fault = "a copy of memory that was freed";
      continue;
    }
    if (IsPinned(copy.from, copy.expected.size()) &&
        std::memcmp(copy.from, copy.expected.data(), copy.expected.size()) != 0) {
      fault = "memory was written before the device had read it";
    }
    std::memcpy(copy.to, copy.from, copy.expected.size());
  }
}

int Fail(const char* what) {
  fault = what;
  return 1;
}

}  // namespace

extern "C" {

int cuGetErrorName(int status, const char** name) {
  *name = status == 1 ? "CUDA_ERROR_INVALID_VALUE" : nullptr;
  return *name == nullptr;
}
int cuStreamGetCtx(void* stream, void** context) {
  *context = stream;
  return stream == nullptr;
}
int cuCtxPushCurrent_v2(void*) {
  ++contexts;
  return 0;
}
int cuCtxPopCurrent_v2(void**) {
  --contexts;
  return 0;
}
int cuMemAllocHost_v2(void** memory, size_t bytes) {
  if (contexts != 1) return Fail("no context, or two");
  auto* const made = new char[bytes];
  pinned[made] = bytes;
  *memory = made;
  return 0;
}
int cuMemFreeHost(void* memory) {
  auto* const freed = static_cast<char*>(memory);
  for (const Copy& copy : waiting) {
    const auto* from = static_cast<const char*>(copy.from);
    if (copy.event < 0 && from >= freed && from < freed + pinned[freed]) {
      fault = "memory was freed before the device had read it";
    }
  }
  pinned.erase(freed);
  delete[] freed;
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void*) {
  if ((from & kDeviceBit) == 0) return Fail("the source is not on the device");
  if (!IsPinned(to, bytes)) return Fail("the target is not pinned");
  waiting.push_back({to, reinterpret_cast<void*>(from ^ kDeviceBit), std::vector<char>(bytes)});
  log_ += "D";
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void*) {
  if ((to & kDeviceBit) == 0) return Fail("the target is not on the device");
  if (!IsPinned(from, bytes)) return Fail("the source is not pinned");
  const auto* data = static_cast<const char*>(from);
  waiting.push_back(
      {reinterpret_cast<void*>(to ^ kDeviceBit), from, std::vector<char>(data, data + bytes)});
  log_ += "H";
  return 0;
}
int cuStreamSynchronize(void*) {
  Work(-1);
  log_ += "s";
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  events[next_event] = true;
  *event = reinterpret_cast<void*>(static_cast<intptr_t>(next_event++));
  return 0;
}
int cuEventRecord(void* event, void*) {
  const auto number = static_cast<int>(reinterpret_cast<intptr_t>(event));
  events[number] = false;
  waiting.push_back({nullptr, nullptr, {}, number});
  log_ += "r";
  return 0;
}
int cuEventQuery(void* event) {
  return events.at(static_cast<int>(reinterpret_cast<intptr_t>(event))) ? 0 : 600;
}
int cuEventSynchronize(void* event) {
  const auto number = static_cast<int>(reinterpret_cast<intptr_t>(event));
  if (!events.at(number)) Work(number);
  log_ += "w";
  return 0;
}
int cuEventDestroy_v2(void* event) {
  events.erase(static_cast<int>(reinterpret_cast<intptr_t>(event)));
  return 0;
}

// For the test: the first fault or "", what was called since the last call, and what is left.
const char* StandInFault() {
  return fault.c_str();
}
const char* StandInLog() {
  static std::string shown;
  shown = log_;
  log_.clear();
  return shown.c_str();
}
int StandInLeft() {
  return static_cast<int>(pinned.size() + events.size()) + contexts;
}
}
