// libcuda.so.1 for tests: a device whose streams do nothing until a call waits for them.
//
// It notices what a real device would answer with wrong numbers or a crash: memory that is freed or
// written while a copy from it waits, addresses of the device that the host reads, pages that are
// locked twice or freed while they are locked, and calls in a forked child. An address of the
// device is that of host memory with a bit flipped.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
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
int next_event = 1;
thread_local int contexts = 0;
std::string fault, log_;

// Page-locked ranges of the host's memory; any thread locks them.
std::mutex mutex;
std::map<char*, size_t> locked;
int retained = 0, device_of_thread = -1, device_in_use = -1;
pid_t process = 0;
bool is_shut_down = false;
// The function that fails, in which call from now on, and how.
std::string failing;
int calls_left = 0, failure = 0;

// The result of a function: an error of the test's, or 0.
int StatusOf(const char* function) {
  if (process != 0 && process != getpid()) std::abort();
  if (is_shut_down) return 4;
  return failing == function && --calls_left == 0 ? failure : 0;
}

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
  static const std::map<int, const char*> names{{1, "CUDA_ERROR_INVALID_VALUE"},
                                                {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                {100, "CUDA_ERROR_NO_DEVICE"}};
  const auto found = names.find(status);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end();
}
int cuInit(unsigned) {
  const std::lock_guard lock(mutex);
  process = getpid();
  return StatusOf("cuInit");
}
int cuCtxGetDevice(int* device) {
  const std::lock_guard lock(mutex);
  *device = device_of_thread;
  return device_of_thread < 0 ? 201 : StatusOf("cuCtxGetDevice");
}
int cuDeviceGet(int* device, int number) {
  const std::lock_guard lock(mutex);
  *device = number;
  return StatusOf("cuDeviceGet");
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  const std::lock_guard lock(mutex);
  if (const int status = StatusOf("cuDevicePrimaryCtxRetain")) return status;
  ++retained;
  device_in_use = device;
  *context = &retained;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  const std::lock_guard lock(mutex);
  if (const int status = StatusOf("cuDevicePrimaryCtxRelease")) return status;
  if (device != device_in_use) fault = "another device's context was released";
  if (--retained == 0 && !locked.empty()) fault = "a context ended before its locks";
  return 0;
}
int cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
  const std::lock_guard lock(mutex);
  if (const int status = StatusOf("cuMemHostRegister")) return status;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* const first = static_cast<char*>(memory);
  if (contexts != 1) return Fail("pages are locked without a context");
  if (flags != 1) return Fail("pages are locked for one context only");
  if (reinterpret_cast<uintptr_t>(first) % page != 0 || bytes % page != 0 || bytes == 0) {
    return Fail("no whole pages are locked");
  }
  for (const auto& [other, size] : locked) {
    if (first < other + size && other < first + bytes) return Fail("pages are locked twice");
  }
  locked[first] = bytes;
  log_ += "L";
  return 0;
}
int cuMemHostUnregister(void* memory) {
  const std::lock_guard lock(mutex);
  if (const int status = StatusOf("cuMemHostUnregister")) return status;
  const auto found = locked.find(static_cast<char*>(memory));
  if (contexts != 1) return Fail("pages are unlocked without a context");
  if (found == locked.end()) return Fail("pages are unlocked that are not locked");
  // The memory is still there.
  static_cast<volatile char*>(found->first)[found->second - 1] = 0;
  locked.erase(found);
  log_ += "U";
  return 0;
}
int cuStreamGetCtx(void* stream, void** context) {
  *context = stream;
  return stream == nullptr;
}
int cuCtxPushCurrent_v2(void*) {
  if (const int status = StatusOf("cuCtxPushCurrent")) return status;
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
  return static_cast<int>(pinned.size() + events.size() + locked.size()) + contexts + retained;
}
// Whether these bytes are page-locked.
bool StandInIsLocked(const void* memory, size_t bytes) {
  const std::lock_guard lock(mutex);
  const auto* const first = static_cast<const char*>(memory);
  for (const auto& [begin, size] : locked) {
    if (first >= begin && first + bytes <= begin + size) return true;
  }
  return false;
}
// The `call`th call of a function from now on returns `status`.
void StandInFail(const char* function, int call, int status) {
  failing = function;
  calls_left = call;
  failure = status;
}
// The device whose context is current in all threads; -1: none is. The one that was used last.
void StandInSetDevice(int device) {
  device_of_thread = device;
}
int StandInDevice() {
  return device_in_use;
}
// As at the end of a process: all functions fail. False: they work again, and nothing is left.
void StandInShutDown(bool value) {
  is_shut_down = value;
  locked.clear();
  retained = 0;
}
}
