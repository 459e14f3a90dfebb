// The end of a PythonPool, also while envs are in a step.
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "parallel_pool/core/binding/process_state.h"
#include "parallel_pool/core/binding/python_pool.h"
#include "parallel_pool/core/engine/call_guard.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

constexpr auto kLastWait = std::chrono::seconds(2);  // at the interpreter's end, for a step to end

}  // namespace

PythonPool::~PythonPool() {
  try {
    Close();
  } catch (py::error_already_set& error) {  // Ctrl-C
    error.discard_as_unraisable("closing a pool");
  }
  // Its threads are the parent's, or one is still in a step: they cannot be joined.
  if (generation_ != ForkGeneration() || !closed_) pool_.release();
}

void PythonPool::Close() {
  const py::scoped_critical_section one_thread(lock_);
  if (closed_) return;
  const bool is_receiver = callers_.receiving.load() == std::this_thread::get_id();
  if (is_receiver && !in_signals_) throw std::runtime_error(task_ + kClosedByAnEnv);
  closing_ = true;
  if (generation_ != ForkGeneration()) return;
  const auto began = Clock::now();
  while (!StopThreads(is_receiver)) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!IsEnding() || Clock::now() - began < kLastWait) continue;
    PySys_FormatStderr("%s: an env is still in a step; the program ends without it\n",
                       task_.c_str());
    return;
  }
  closed_ = true;
}

// Whether all threads have ended within some milliseconds.
bool PythonPool::StopThreads(bool is_receiver) {
  const py::gil_scoped_release unlocked;
  if (xla_) xla_->Close();
  const auto deadline = Clock::now() + kSignalCheck;
  // recv() of this thread ends when the handler returns.
  const auto is_busy = [](const Caller& caller) { return caller.load() != std::thread::id(); };
  while ((is_busy(callers_.receiving) && !is_receiver) || is_busy(drawing_)) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::unique_lock one_thread(stopping_, std::try_to_lock);
  if (one_thread) return pool_->Close(kSignalCheck);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return false;
}

void PythonPool::CheckUsable() const {
  if (generation_ != ForkGeneration()) throw std::runtime_error(task_ + kBeforeFork);
  if (closing_) ThrowClosed(kClosed);
}

// At the end of the interpreter a daemon thread that uses the pool ends in silence, as Python's own
// daemon threads do: threading ignores SystemExit.
void PythonPool::ThrowClosed(const char* what) const {
  if (!IsLeftBehind()) throw std::runtime_error(task_ + what);
  PyErr_SetNone(PyExc_SystemExit);
  throw py::error_already_set();
}

}  // namespace parallel_pool
