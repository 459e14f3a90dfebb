// A Pool that is safe with Python's threads, signals, forks and garbage collector.
#pragma once

#include <pybind11/critical_section.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "parallel_pool/core/binding/batch_reader.h"
#include "parallel_pool/core/binding/numpy_io.h"
#include "parallel_pool/core/binding/step_arrays.h"
#include "parallel_pool/core/engine/call_guard.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/engine/replayer.h"
#include "parallel_pool/core/xla/xla_pool.h"

namespace parallel_pool {

// Sets the Python class EnvError(message, env_ids, result).
void SetEnvError(pybind11::object type);

// The longest delay of a Ctrl-C. In a sync pool the calling thread runs envs itself, but only steps
// that should take less than 10 ms (scheduler.cc).
inline constexpr auto kSignalCheck = std::chrono::milliseconds(50);

// The caller of every method holds the GIL; methods that wait release it. In a Python without a
// GIL, each method locks the pool as the GIL would: one thread at a time is in the pool's methods,
// except for those that wait. Errors become Python exceptions: invalid_argument a ValueError,
// runtime_error a RuntimeError.
class PythonPool {
 public:
  // The envs are in this process, or in those of `host`.
  PythonPool(const std::shared_ptr<const Setup>& setup, PoolOptions options, BatchForm form,
             std::shared_ptr<PoolHost> host = nullptr);
  ~PythonPool();

  void Send(pybind11::handle action, pybind11::handle env_id);
  // `timeout`: a number of seconds, or None. With `partial`, an async pool whose rows in flight do
  // not fill a batch returns these rows.
  pybind11::tuple Recv(pybind11::handle timeout, bool partial);
  pybind11::tuple Step(pybind11::handle action, pybind11::handle env_id);
  // A step of all envs whose rows go into the arrays of `step` of a StepArrays of this pool. Those
  // parts of the result must not be used longer than the arrays.
  pybind11::tuple StepInto(pybind11::handle action, const pybind11::object& arrays, int64_t step);
  bool can_step_into() const { return pool_->can_write_to_places(); }
  std::unique_ptr<StepArrays> MakeStepArrays(const pybind11::dict& arrays) const;
  // `seeds`: None, or one for each env of the call. `mask`: None, or whether to reset each env of
  // the call; the others are only observed. `options`: one for each of reset_options(), or none.
  using Seeds = std::optional<std::vector<uint64_t>>;
  using Mask = std::optional<std::vector<uint8_t>>;
  void SendReset(pybind11::handle env_id, const Seeds& seeds, const Mask& mask);
  // `env_options`: none, or new options of each env of the call.
  pybind11::tuple Reset(pybind11::handle env_id, const Seeds& seeds, const Mask& mask,
                        Span<OptionValue> options, const std::vector<EnvSetup>& env_options);
  // The same arguments for the next reset of each env.
  void Prepare(pybind11::handle env_id, const Seeds& seeds, Span<OptionValue> options,
               const std::vector<EnvSetup>& env_options);
  // One bytes object for each env of the call, and back. ValueErrors are those of Pool::Save and
  // Pool::Load.
  pybind11::list Save(pybind11::handle env_id);
  void Load(const pybind11::list& states, pybind11::handle env_id,
            const std::vector<EnvSetup>& env_options);
  // The same of the next reset of each env; see Pool::SavePrepared. Empty bytes: nothing is set.
  pybind11::list SavePrepared(pybind11::handle env_id);
  void LoadPrepared(const pybind11::list& prepared, pybind11::handle env_id,
                    const std::vector<EnvSetup>& env_options);
  // The options that each env of the pool has.
  std::vector<EnvSetup> env_options() const;
  // See statistics.h.
  pybind11::list Statistics();
  void LoadStatistics(const pybind11::list& statistics);
  // Pictures of the envs in `env_id`, in that order: uint8 (rows, height, width, 3). RenderText
  // returns a tuple of str.
  pybind11::object Render(pybind11::handle env_id);
  pybind11::tuple RenderText(pybind11::handle env_id);
  // The bodies of the worlds of the envs in `env_id`, one after another; see body_list.h.
  pybind11::list Bodies(pybind11::handle env_id, bool with_shapes);
  // See recorder.h and recording.cc.
  void StartRecording();
  void StopRecording();
  void RequestKeyframe();
  pybind11::tuple TakeRecording();
  // See Pool::StartProfile and profile.cc.
  // Returns the profile's number. It ends by itself `limit` after now, at the end of a call.
  size_t StartProfile(std::chrono::nanoseconds limit);
  void StopProfile(size_t number);  // nothing if it has ended
  pybind11::dict ReadProfile(size_t number);
  // Calls `watch` with nullptr when the next calls of `replayer` have sent a result, and then with
  // the batch. Returns the result; nothing if the replayer needs more calls.
  using Watch = std::function<void(Pool&, const Batch*)>;
  std::optional<pybind11::tuple> Play(Replayer& replayer, const Watch& watch);
  // Throws if the pool is closed, or of the process that this one was forked from.
  void CheckUsable() const;
  // Waits until no env is in a step. Throws Python's error if a signal's handler raises meanwhile;
  // another call goes on. At the interpreter's end it waits for some seconds only, and warns.
  void Close();

  // The pool for compiled programs of JAX; throws if the pool is closed.
  const std::shared_ptr<XlaPool>& Xla();
  // The error of a program's last call that failed, once; or None.
  pybind11::object TakeXlaError();

  // The options of Reset.
  Span<OptionSpec> reset_options() const { return reset_options_; }
  Pool& pool() { return *pool_; }
  bool closed() const { return closing_; }
  PoolStats stats() const { return pool_->stats(); }
  std::vector<bool> ended() const;
  int64_t in_flight() const { return pool_->pending_rows(); }
  uint64_t moves() const { return pool_->moves(); }

 private:
  bool StopThreads(bool is_receiver);
  // A call of the program, as long as it lives: a profile measures it, and ends with it if due.
  class Call {
   public:
    explicit Call(PythonPool& pool) : pool_(pool), measured_(pool.pool_->running_profile()) {}
    ~Call() { pool_.EndDueProfile(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    PythonPool& pool_;
    const Profile::Call measured_;
  };
  void EndDueProfile() noexcept;
  [[noreturn]] void ThrowClosed(const char* what) const;
  std::span<const int32_t> ReadIds(pybind11::handle env_id);
  void SendResetWith(pybind11::handle env_id, const Seeds& seeds, const Mask& mask,
                     Span<OptionValue> options, const std::vector<EnvSetup>& env_options,
                     bool then_recv);
  void SendStep(pybind11::handle action, pybind11::handle env_id, bool then_recv);
  void SendStepTo(std::span<const int32_t> ids, pybind11::handle action, NamedArrays* named,
                  bool then_recv);
  template <class Then>
  void ClaimThen(std::span<const int32_t> ids, bool reset, bool then_recv, const Then& then);
  template <class Body>
  void WhileIdle(std::span<const int32_t> ids, const Body& body);
  void DropInFlight();
  pybind11::tuple Receive(std::optional<double> timeout, const Watch& watch = nullptr);
  pybind11::tuple Take(Batch* batch, const Watch& watch);
  Batch* Await(std::optional<double> timeout, bool partial = false);
  [[noreturn]] void Raise(const std::vector<Failure>& failures,
                          const pybind11::tuple& result) const;

  const pybind11::list lock_;  // an object of Python, for scoped_critical_section
  // The StepArrays of the step that is sent next, and those of a step whose rows were not received
  // yet: after a Ctrl-C, workers still write to them.
  pybind11::object next_arrays_, written_arrays_;
  std::span<const ColumnPlace> next_places_;
  const std::string task_;
  const Span<OptionSpec> reset_options_;  // the task's, which lives as long as the process
  const int generation_;                  // ForkGeneration() when the pool was made
  EnvIds ids_;
  std::vector<HeldArray> arrays_;
  std::vector<int32_t> players_;  // players of each env of one call
  std::unique_ptr<Pool> pool_;
  Recorder* recorder_ = nullptr;  // the observer of the pool while it is recorded
  const BatchReader reader_;
  const bool with_timing_;
  std::shared_ptr<XlaPool> xla_;  // nullptr: no program calls this pool
  Callers callers_;
  bool interrupted_ = false;  // a signal has ended the last wait
  bool in_signals_ = false;   // the receiver waits, and runs Python's signal handlers meanwhile
  Caller drawing_{};
  std::atomic<bool> closing_{false};
  std::mutex stopping_;  // one thread at a time ends those of the pool
  bool closed_ = false;  // all threads have ended
};

}  // namespace parallel_pool
