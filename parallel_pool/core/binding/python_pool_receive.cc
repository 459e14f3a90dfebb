// The receiving side of a PythonPool: batches, and the errors of envs.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "parallel_pool/core/binding/call_arguments.h"
#include "parallel_pool/core/binding/python_pool.h"
#include "parallel_pool/core/engine/call_guard.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;
using std::chrono::nanoseconds;

constexpr auto kNotWorthUnlocking = std::chrono::microseconds(20);

py::handle env_error;

py::object MakeEnvError(const std::string& text, const std::vector<Failure>& failures,
                        const py::tuple& result) {
  py::list env_ids;
  for (const Failure& failure : failures) env_ids.append(failure.env);
  return env_error(text, env_ids, result);
}

}  // namespace

void SetEnvError(py::object type) {
  env_error = type.release();
}

py::tuple PythonPool::Recv(py::handle timeout, bool partial) {
  const py::scoped_critical_section one_thread(lock_);
  const Call call(*this);
  CheckUsable();
  const std::optional<double> seconds = ReadTimeout(task_, timeout);
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  if (!partial || pool_->FillsBatch() || pool_->pending_rows() == 0) {
    pool_->CheckPending(0);
    return Receive(seconds);
  }
  const CallGuard sender(&callers_.sending, task_, kSending);  // nothing may be sent meanwhile
  return Take(Await(seconds, /*partial=*/true), nullptr);
}

// Before a reset of all envs: receives and drops what is in flight in an async pool, and after a
// Ctrl-C in a step in a sync pool.
void PythonPool::DropInFlight() {
  if (pool_->sync() && !interrupted_) return;
  CheckUsable();
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  while (pool_->pending_rows() > 0) {
    Batch* const batch = Await(std::nullopt, /*partial=*/!pool_->FillsBatch());
    pool_->Accept(*batch);
    batch->Release();
  }
  interrupted_ = false;
}

py::tuple PythonPool::Receive(std::optional<double> timeout, const Watch& watch) {
  Batch* batch = nullptr;
  if (!pool_->BusyFor(kNotWorthUnlocking)) batch = pool_->Recv(kNotWorthUnlocking);
  if (batch == nullptr) batch = Await(timeout);
  return Take(batch, watch);
}

// The result of a batch that was received.
py::tuple PythonPool::Take(Batch* batch, const Watch& watch) {
  std::vector<Failure> failures;
  try {
    failures = pool_->Failures(*batch);
  } catch (...) {  // there is no memory for the messages
    pool_->Accept(*batch);
    batch->Release();
    throw;
  }
  pool_->Accept(*batch);
  if (watch) watch(*pool_, batch);
  interrupted_ = false;
  py::tuple result = reader_.Read(batch);
  if (!failures.empty()) Raise(failures, result);
  return result;
}

// Waits for the next batch, with the GIL released.
Batch* PythonPool::Await(std::optional<double> timeout, bool partial) {
  const auto deadline =
      timeout ? Clock::now() + nanoseconds(static_cast<int64_t>(std::min(*timeout, 1e9) * 1e9))
              : Clock::time_point::max();
  for (;;) {
    const nanoseconds slice = std::min<nanoseconds>(kSignalCheck, deadline - Clock::now());
    {
      const py::gil_scoped_release unlocked;
      const nanoseconds limit = std::max(slice, nanoseconds(0));
      if (!partial || pool_->CutBatch(limit)) {
        if (Batch* batch = pool_->Recv(limit)) return batch;
      }
    }
    in_signals_ = true;
    const int is_error = PyErr_CheckSignals();
    in_signals_ = false;
    if (is_error != 0) {
      interrupted_ = true;
      throw py::error_already_set();
    }
    if (closing_) ThrowClosed(": the pool was closed during recv()");
    if (Clock::now() >= deadline) TimeOut(task_, *timeout);
  }
}

void PythonPool::Raise(const std::vector<Failure>& failures, const py::tuple& result) const {
  const py::object error = MakeEnvError(pool_->TextOf(failures), failures, result);
  PyErr_SetObject(env_error.ptr(), error.ptr());
  throw py::error_already_set();
}

py::object PythonPool::TakeXlaError() {
  const py::scoped_critical_section one_thread(lock_);
  std::optional<XlaError> error;
  if (xla_) error = xla_->TakeError();
  if (!error) return py::none();
  if (error->batch != nullptr) {
    return MakeEnvError(error->text, error->failures, reader_.Read(error->batch));
  }
  static PyObject* const* const types[] = {&PyExc_ValueError, &PyExc_RuntimeError,
                                           &PyExc_MemoryError};
  return py::handle(*types[error->type])(error->text);
}

}  // namespace parallel_pool
