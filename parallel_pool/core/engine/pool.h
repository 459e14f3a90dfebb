// Many envs of one task behind send and recv.
//
//   Send      check the ids -> the caller stores the actions -> publish tickets (runs of envs)
//   workers   Step the envs of a chunk -> take rows -> Observe into them -> count them down
//   (runner.h) Recv      work along (sync) or wait (async) -> a finished Batch
//
// Calls of one line of this table never overlap; calls of different lines may. PythonPool makes
// those of the sender under Python's lock, so that each may come from another thread.
//
//   sender    Claim, Unclaim, Send, SendReset, SendTurns, Prepare, Unprepare, prepared, Save, Load,
//             SavePrepared, LoadPrepared, Render, RenderText, GetBodies, CheckPending, BusyFor,
//             has_ended, is_lost, is_new, IdleEnvs, FillsBatch, pending_rows, players, actions,
//             env_options, SetObserver, observer
//   receiver  Recv, NextRows, Failures, transforms
//   both      Accept, CutBatch, StartProfile, StopProfile, profiles, running_profile
//   any       task, options, reset_options, sync, can_write_to_places, columns, layout, can_save,
//             is_hosted, NameOf, TextOf, RenderSize, stats, moves
//   the last  Close: no other call is under way, and none follows
//
// Each env has at most one action in flight. Sync pools (batch_size == num_envs) return one batch
// for each Send, with its rows in the order sent; async pools return batches of batch_size rows in
// the order of completion.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/actions.h"
#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/engine/batch_ring.h"
#include "parallel_pool/core/engine/claims.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/engine/pool_host.h"
#include "parallel_pool/core/engine/pool_observer.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/engine/pool_profiler.h"
#include "parallel_pool/core/engine/runner.h"
#include "parallel_pool/core/engine/scheduler.h"
#include "parallel_pool/core/engine/transforms.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// An env that threw while its row of a batch was made.
struct Failure {
  int32_t env;
  int32_t elapsed_step;
  std::string what;
};

// Counts since the pool was made, as far as its batches were received.
struct PoolStats {
  int64_t steps = 0;     // of all envs, without resets
  int64_t resets = 0;    // of all envs, also those by autoreset
  int64_t episodes = 0;  // that have ended
  int64_t batches = 0;
};

// Throws std::bad_alloc with both sizes if `num_envs` envs and two batches of their rows cannot fit
// into memory.
void CheckMemory(const Setup& setup, int num_envs);

class Pool final {
 public:
  // Pools may share a setup. Throws std::invalid_argument if an env cannot be built.
  // The envs are in this process, or in those of `host`.
  Pool(std::shared_ptr<const Setup> setup, PoolOptions options,
       std::shared_ptr<PoolHost> host = nullptr);
  ~Pool() { Close(); }

  const std::string& task() const { return task_; }
  const PoolOptions& options() const { return options_; }
  Span<OptionSpec> reset_options() const { return setup_->reset_options(); }
  bool sync() const { return options_.batch_size == options_.num_envs; }
  // Whether Send may be given places.
  bool can_write_to_places() const { return sync() && host_ == nullptr; }
  const std::vector<Column>& columns() const { return layout_.columns(); }
  const BatchLayout& layout() const { return layout_; }
  ActionStore& actions() { return actions_; }
  // The number of players of `env` that the user has received last; the most of an env before that.
  // Its next action has as many rows in each array that is per player.
  int32_t players(int32_t env) const { return players_[env]; }

  // A send has three steps. Claim checks `envs` (in range, no duplicates, none
  // in flight; without autoreset and `reset`, none that has no running episode) and marks them, or
  // throws std::invalid_argument with nothing changed. The caller then stores actions. Send
  // follows, or Unclaim if an action was refused.
  void Claim(std::span<const int32_t> envs, bool reset = false);
  void Unclaim(std::span<const int32_t> envs) { claims_.Release(envs); }
  // The envs that are not in flight.
  std::vector<int32_t> IdleEnvs() const { return claims_.Idle(); }
  // Sync pools of this process: the batch's columns may be memory of the user (Batch::WriteTo).
  void Send(std::span<const int32_t> envs, bool reset, std::span<const ColumnPlace> places = {});
  // Like Send with reset, but resets only envs whose `mask` is set and observes the others.
  // Rows that only show running envs once more do not count for the statistics of transforms.
  void SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask);
  // Sync pools: what an async pool does that was sent steps and resets. Steps the envs, but resets
  // those whose `resets` is set, in one batch.
  void SendTurns(std::span<const int32_t> envs, std::span<const uint8_t> resets);
  // The env with its task, for errors: "Pong-v5 env 3".
  std::string NameOf(int32_t env) const;

  // Between Claim and Unclaim: how the env's next reset begins, also one by autoreset, in place of
  // what was prepared before. Load of the env drops it. Throws std::invalid_argument, with nothing
  // changed, if the task refuses the reset options.
  void Prepare(int32_t env, PreparedReset next) { Prepare(env, std::move(next), false); }
  // The same for a Send with reset that follows: the env is built now with its options, so it
  // throws std::invalid_argument, too, if it cannot be built; then it has its old options.
  void PrepareNow(int32_t env, PreparedReset next) { Prepare(env, std::move(next), true); }
  // Drops what was prepared.
  void Unprepare(int32_t env);
  // Returns what Prepare has set for a reset that is still to come; nullptr: nothing.
  const PreparedReset* prepared(int32_t env) const {
    return envs_[env].next_max_steps > 0 ? &prepared_[env] : nullptr;
  }
  // The seed and the reset options of prepared(env), as bytes for LoadPrepared; empty: nothing is
  // prepared. LoadPrepared is Prepare with them; throws std::invalid_argument if they are damaged.
  std::string SavePrepared(int32_t env) const;
  void LoadPrepared(int32_t env, const std::string& bytes, const EnvSetup& options);
  // Whether the episode of an idle env has ended, so that its next step begins another one.
  bool has_ended(int32_t env) const { return envs_[env].begun && envs_[env].next != Turn::kStep; }
  // The options of `env`.
  EnvSetup env_options(int32_t env) const;

  // Whether the rows in flight, and `more` that are about to be sent, fill a batch.
  bool FillsBatch(int more = 0) const {
    return pending_rows_ + more >= (sync() ? 1 : options_.batch_size);
  }
  // Throws std::runtime_error if the rows in flight, and `more` that are about to be sent, cannot
  // fill a batch.
  void CheckPending(int more) const;
  int64_t pending_rows() const { return pending_rows_; }
  // Async pools with fewer rows in flight than a batch has: waits at most `limit` until they are
  // written. Then the next batch of Recv is ready, and has these rows only. Returns whether it is.
  bool CutBatch(std::chrono::nanoseconds limit);
  // The rows of the next batch of Recv; 0 if a sync pool was sent nothing.
  int NextRows();
  // The next batch, or nullptr if it is not ready within `limit`; Accept it, then Release it.
  Batch* Recv(std::chrono::nanoseconds limit);
  // The envs of a received batch that threw, by row. Call it before Accept: later steps of an env
  // may change its message.
  std::vector<Failure> Failures(const Batch& batch) const;
  // The first of them in words, and how many there are.
  std::string TextOf(const std::vector<Failure>& failures) const;
  // Transforms the rows of the batch, and marks its envs idle.
  void Accept(Batch& batch);
  Transforms& transforms() { return transforms_; }
  // Whether nothing was ever sent to it or loaded.
  bool is_new() const { return batches_sent_ == 0 && !is_loaded_; }
  bool can_save() const { return setup_->task().can_save; }
  bool is_hosted() const { return host_ != nullptr; }
  // Whether an idle env must not be used any more: Error::env_is_lost.
  bool is_lost(int32_t env) const { return envs_[env].is_lost; }
  // Is told each call from now on, in place of the one before; nullptr: none is.
  void SetObserver(std::unique_ptr<PoolObserver> observer);
  PoolObserver& observer() { return *observer_; }
  // How often envs were moved: batches that were accepted, and states that were loaded.
  uint64_t moves() const { return moves_.load(std::memory_order_relaxed); }
  // Any thread.
  PoolStats stats() const;
  // The state of an idle env, as bytes for Load. Both throw std::invalid_argument if the task
  // cannot save. Load gives the env these options first, unless they have no setup. It also throws
  // if it cannot be built with them, or if no env of the same task and options saved these bytes.
  std::string Save(int32_t env);
  void Load(int32_t env, const std::string& bytes, EnvSetup options = {});

  // Tasks with can_render only: the size of pictures, and the picture of an idle env as it is now,
  // height x width x 3 bytes. The pool's threads do not help: a picture takes microseconds.
  ImageSize RenderSize() const;
  void Render(int32_t env, uint8_t* rgb);
  // Tasks with can_render_text only: the same as text. Both throw std::invalid_argument if the env
  // has no world yet, std::runtime_error if it throws.
  std::string RenderText(int32_t env);
  void GetBodies(int32_t env, bool with_shapes, BodyReceiver& bodies);

  // Whether the sent work takes at least `time`, so that the caller shall release its lock (GIL).
  bool BusyFor(std::chrono::nanoseconds time) const;

  // Measures from now on until StopProfile; see profile.h. The sender and the receiver at once.
  // Throws std::runtime_error if it measures already.
  void StartProfile(std::chrono::nanoseconds limit = std::chrono::nanoseconds::max());
  void StopProfile() { profiler_.Stop(); }
  // All profiles so far, and the one that is being made; nullptr: none is.
  std::span<const std::unique_ptr<Profile>> profiles() const { return profiler_.profiles(); }
  Profile* running_profile() const { return profiler_.running(); }

  // Ends the workers and frees the envs; batches stay valid. False: an env was still in a step
  // after `limit`; the pool must live on, and Close may be called again.
  bool Close(std::chrono::nanoseconds limit = kForever);

 private:
  void SetEnvOptions();
  void AddBatch(uint64_t number, Batch* batch);
  // Sync pools: a batch for the next send.
  void AddBatchOf(std::span<const int32_t> envs, bool resets,
                  std::span<const ColumnPlace> places = {});
  void Dispatch(std::span<const int32_t> envs, bool reset);
  void CreateEnvs(const std::vector<std::vector<int>>& cpus);
  void Prepare(int32_t env, PreparedReset next, bool builds_now);
  void SetOptions(int32_t env, const EnvSetup& options);
  void Forget(int32_t env);
  void Settle(const Batch& batch);
  void CheckBegun(int32_t env) const;
  void Count(const Batch& batch);
  [[noreturn]] void ThrowFailure(int32_t env, const Error& error) const;

  const std::shared_ptr<const Setup> setup_;
  const std::string task_;
  const PoolOptions options_;
  // The setup of each env, if they differ; else empty. They outlive the envs of the group.
  std::vector<std::shared_ptr<const Setup>> env_setups_;
  // By env, where Prepare was called and the reset has not come yet; empty before the first call.
  std::vector<PreparedReset> prepared_;
  int32_t num_prepared_ = 0;                  // of those
  const std::shared_ptr<PoolHost> host_;      // nullptr: the envs are in this process
  const std::shared_ptr<PoolMemory> memory_;  // the host's
  std::unique_ptr<EnvGroup> group_;
  ActionStore actions_;
  const BatchLayout layout_;
  const std::shared_ptr<BatchCache> cache_;
  PoolArray<EnvState> envs_;      // each owned by the thread that runs the env
  PoolArray<Episode> episodes_;   // the same, layout_.episodes_per_env() each; or empty
  Claims claims_;                 // owned by the sending thread
  std::vector<int32_t> players_;  // see players(); empty if no array is per player
  int64_t pending_rows_ = 0;      // sent and not accepted yet
  uint64_t batches_sent_ = 0, batches_received_ = 0;
  bool is_loaded_ = false;  // Load was called
  bool observing_ = false;  // the rows in flight show running envs once more
  // PoolStats. The sending thread writes them; relaxed, because nothing else follows from them.
  std::atomic<int64_t> steps_{0}, resets_{0}, episodes_ended_{0}, batches_accepted_{0};
  std::atomic<uint64_t> moves_{0};
  BatchRing batches_;  // a sync pool adds one at Send, async at Recv
  Runner runner_;
  Transforms transforms_;  // owned by the receiving thread
  std::unique_ptr<PoolObserver> observer_ = std::make_unique<NoObserver>();
  std::unique_ptr<Dispatcher> dispatcher_;
  PoolProfiler profiler_{group_, runner_, dispatcher_};
};

}  // namespace parallel_pool
