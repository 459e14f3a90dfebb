#include <windows.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "parallel_pool/core/platform/process.h"

namespace parallel_pool::platform {
namespace {

constexpr UINT kKilled = 1;  // exit code of a process that is ended from outside

// The thread that has loaded this library, as a rule Python's main thread.
const DWORD main_thread = GetCurrentThreadId();

// A descriptor is a handle: Windows keeps handles within 32 bits, with their sign.
int DescriptorOf(HANDLE handle) {
  return handle == nullptr ? -1 : static_cast<int>(reinterpret_cast<intptr_t>(handle));
}

HANDLE HandleOf(int descriptor) {
  return reinterpret_cast<HANDLE>(intptr_t{descriptor});
}

}  // namespace

int ProcessId() {
  return static_cast<int>(GetCurrentProcessId());
}

bool IsMainThread() {
  return GetCurrentThreadId() == main_thread;
}

// Windows has no fork.
void OnFork(void (*)()) {}

void WaitForStarter(int pid, int) {
  try {
    const ProcessWatch starter(pid);
    while (!starter.HasEnded(std::chrono::hours(1))) {}
  } catch (const std::runtime_error&) {  // it cannot be watched
  }
}

// Windows has no groups of processes.
void KillGroup() {
  TerminateProcess(GetCurrentProcess(), kKilled);
}

ProcessWatch::ProcessWatch(int pid)
    : pid_(pid),
      descriptor_(DescriptorOf(
          OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_TERMINATE, FALSE,
                      static_cast<DWORD>(pid)))) {
  const DWORD error = GetLastError();  // ERROR_INVALID_PARAMETER: there is no such process
  if (descriptor_ < 0 && error != ERROR_INVALID_PARAMETER) {
    throw std::runtime_error("process " + std::to_string(pid) + ": Windows reports error " +
                             std::to_string(error));
  }
}

// The handle keeps the number of the process from becoming another's.
ProcessWatch::~ProcessWatch() {
  if (descriptor_ >= 0) CloseHandle(HandleOf(descriptor_));
}

bool ProcessWatch::HasEnded(std::chrono::milliseconds limit) const {
  if (descriptor_ < 0) return true;
  const auto milliseconds = static_cast<DWORD>(std::min<int64_t>(limit.count(), INFINITE - 1));
  return WaitForSingleObject(HandleOf(descriptor_), milliseconds) == WAIT_OBJECT_0;
}

std::string ProcessWatch::HowEnded() const {
  DWORD code = 0;
  if (descriptor_ < 0 || !HasEnded({}) || !GetExitCodeProcess(HandleOf(descriptor_), &code)) {
    return "";
  }
  return "with exit code " + std::to_string(code);
}

void ProcessWatch::Kill() const {
  if (descriptor_ >= 0) TerminateProcess(HandleOf(descriptor_), kKilled);
}

}  // namespace parallel_pool::platform
