#include "parallel_pool/core/binding/process_state.h"

#include <Python.h>

#include <atomic>
#include <thread>

#include "parallel_pool/core/platform/process.h"

namespace parallel_pool {
namespace {

std::atomic<int> fork_generation{0};
std::atomic<std::thread::id> ending_thread{};  // none while the interpreter runs

}  // namespace

void WatchForks() {
  platform::OnFork([] { ++fork_generation; });
}

int ForkGeneration() {
  return fork_generation;
}

void EndInterpreter() {
  ending_thread = std::this_thread::get_id();
}

bool IsLeftBehind() {
  const std::thread::id ending = ending_thread;
  return ending != std::thread::id() && ending != std::this_thread::get_id();
}

bool IsEnding() {
  return ending_thread.load() != std::thread::id();
}

// Python handles signals in the main thread only.
bool IsInterrupted() {
  if (!platform::IsMainThread() || !Py_IsInitialized()) return false;
  const PyGILState_STATE lock = PyGILState_Ensure();
  const bool is_interrupted = PyErr_CheckSignals() != 0;
  if (is_interrupted) {
    PyErr_Clear();
    PyErr_SetInterrupt();
  }
  PyGILState_Release(lock);
  return is_interrupted;
}

}  // namespace parallel_pool
