// Many envs of one task behind send and recv.
//
//   Send      check the ids -> the caller stores the actions -> publish tickets (runs of envs)
//   workers   Step the envs of a chunk -> take rows -> Observe into them -> count them down
//   Recv      work along (sync) or wait (async) -> a finished Batch
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
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/engine/scheduler.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// How an env is reset whose episode has ended.
enum class Autoreset {
  kNextStep,  // its next step resets it, ignores the action and has reward 0
  kSameStep,  // it is reset at once; the row shows the next episode, `final` columns show the end.
              // Not for tasks whose state has arrays that are per player: the row would show the
              // players of two episodes under one list of env ids
  kDisabled,  // it must be reset before it is stepped again
};

// An env that threw while its row of a batch was made.
struct Failure {
  int32_t env;
  int32_t elapsed_step;
  std::string what;
};

// The options of one env, where the envs of a pool differ.
struct EnvOptions {
  std::shared_ptr<const Setup> setup;  // see EnvGroup::Create
  int max_episode_steps;
};

struct PoolOptions {
  int num_envs = 1;
  int batch_size = 1;               // num_envs: sync; less: async
  int num_threads = 1;              // threads that run envs; a sync pool's receiver is one of them
  int max_episode_steps = 1;        // an episode is truncated after so many steps
  int thread_affinity_offset = -1;  // worker i runs on processor offset + i; -1: anywhere
  std::vector<uint64_t> seeds;      // one for each env
  std::vector<EnvOptions> envs = {};  // one for each env; empty: all have the pool's options
  Autoreset autoreset = Autoreset::kNextStep;
  DType reward_dtype = DType::kFloat32;  // or kFloat64
  bool record_episodes = false;          // adds the columns of EpisodeColumn
};

// Throws std::bad_alloc with both sizes if `num_envs` envs and two batches of their rows cannot fit
// into memory.
void CheckMemory(const Setup& setup, int num_envs);

class Pool final : private ChunkRunner {
 public:
  // Columns that the engine adds behind those of the task; players_column() is the last of all.
  enum EngineColumn {
    kReward,       // PoolOptions::reward_dtype; per player if the task has an array "reward" itself
    kTerminated,   // bool
    kTruncated,    // bool
    kDiscount,     // float32, 0 if terminated
    kStepType,     // int32: 0 if the row begins an episode, 2 if it ends one, else 1
    kEnvId,        // int32
    kElapsedStep,  // int32, steps since the episode's world began
    kPlayerEnvId,  // int32: the env of each player; per player if any array is
    kNumEngineColumns,
    // With Autoreset::kSameStep also, followed by a copy of each column of the task. The copies are
    // arrays of one dtype with zeros, not object arrays with None as in Gymnasium, so that workers
    // write them in place; the masks are the same.
    kFinalObsMask = kNumEngineColumns,  // bool: the episode ended in this step (_final_obs)
    kFinalInfoMask,                     // bool: the same (_final_info)
    kFinalElapsedStep,                  // int32
    kFinalState  // the first of the copies: zero where kFinalObsMask is not set
  };

  // The values of kStepType, as dm_env numbers them.
  enum StepType : int32_t { kFirst, kMid, kLast };

  // Columns with PoolOptions::record_episodes, from episode_column() on: zero but where an episode
  // has ended. A task with an info "reward" has the true rewards there, before clipping. One with
  // an info "terminated" has there whether the game is over; a lost life alone ends no episode.
  enum EpisodeColumn {
    kEpisodeReturn,  // float64: the sum of its rewards
    kEpisodeLength,  // int32: its steps
    kEpisodeMask,    // bool: an episode has ended in this step
    kNumEpisodeColumns
  };

  // Pools may share a setup. Throws std::invalid_argument if an env cannot be built.
  Pool(std::shared_ptr<const Setup> setup, PoolOptions options);
  ~Pool() { Close(); }

  const PoolOptions& options() const { return options_; }
  bool sync() const { return options_.batch_size == options_.num_envs; }
  const std::vector<Column>& columns() const { return cache_->columns(); }
  size_t engine_column(EngineColumn c) const { return num_state_columns_ + c; }
  size_t episode_column(EpisodeColumn c) const {
    return engine_column(options_.autoreset == Autoreset::kSameStep
                             ? static_cast<EngineColumn>(kFinalState + num_state_columns_)
                             : kNumEngineColumns) +
           c;
  }
  ActionStore& actions() { return actions_; }
  // The most players of an env; 0 if no array of the task is per player.
  int32_t most_players() const { return most_players_; }
  // The column with the number of players of each row: int32, not shown to the user. Exists only if
  // most_players() > 0.
  size_t players_column() const { return columns().size() - 1; }
  // The number of players of `env` that the user has received last; most_players() before that. Its
  // next action has as many rows in each array that is per player. Same thread as Send.
  int32_t players(int32_t env) const { return players_[env]; }

  // A send has three steps, all by one thread. Claim checks `envs` (in range, no duplicates, none
  // in flight; without autoreset and `reset`, none that has no running episode) and marks them, or
  // throws std::invalid_argument with nothing changed. The caller then stores actions. Send
  // follows, or Unclaim if an action was refused.
  void Claim(std::span<const int32_t> envs, bool reset = false);
  void Unclaim(std::span<const int32_t> envs);
  // The envs that are not in flight. Same thread as Send.
  std::vector<int32_t> IdleEnvs() const;
  void Send(std::span<const int32_t> envs, bool reset);
  // Like Send with reset, but resets only envs whose `mask` is set and observes the others.
  void SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask);
  // The env with its task, for errors: "Pong-v5 env 3".
  std::string NameOf(int32_t env) const;

  // Between Claim and a Send with reset: restarts the env's random numbers.
  void Seed(int32_t env, uint64_t seed) { group_->Seed(env, seed); }

  // Between Claim and a Send with reset: builds the env again with other options; its random numbers
  // go on. Throws std::invalid_argument if it cannot be built; then it has its old options.
  void Rebuild(int32_t env, EnvOptions options);
  // The options of `env`.
  EnvOptions env_options(int32_t env) const;

  // Between Claim and a Send with reset: sets the env's reset options, one value for each option.
  // Throws std::invalid_argument, with nothing changed, if the task refuses them.
  void SetResetOptions(int32_t env, Span<OptionValue> values);

  // Throws std::runtime_error if the rows in flight, and `more` that are about to be sent, cannot
  // fill a batch.
  void CheckPending(int more) const;
  // The next batch, or nullptr if it is not ready within `limit`; Accept it, then Release it.
  Batch* Recv(std::chrono::nanoseconds limit);
  // The envs of a received batch that threw, by row. Call it before Accept: later steps of an env
  // may change its message.
  std::vector<Failure> Failures(const Batch& batch) const;
  // Marks the batch's envs idle; same thread as Send.
  void Accept(const Batch& batch);
  // The state of an idle env, as bytes for Load. Both throw std::invalid_argument if the task
  // cannot save; Load also if no env of the same task and options saved these bytes. Same thread as
  // Send.
  std::string Save(int32_t env);
  void Load(int32_t env, const std::string& bytes);

  // Tasks with can_render only: the size of pictures, and the picture of an idle env as it is now,
  // height x width x 3 bytes. The pool's threads do not help: a picture takes microseconds.
  ImageSize RenderSize() const;
  void Render(int32_t env, uint8_t* rgb);
  // Tasks with can_render_text only: the same as text. Both throw std::invalid_argument if the env
  // was never reset, std::runtime_error if it throws. Same thread as Send.
  std::string RenderText(int32_t env);

  // Whether the sent work takes at least `time`, so that the caller shall release its lock (GIL).
  bool BusyFor(std::chrono::nanoseconds time) const;

  // Ends the workers and frees the envs; batches stay valid. No Recv may be under way.
  void Close();

 private:
  struct EnvState {
    int32_t elapsed_step = 0;
    int32_t max_steps = 0;  // the time limit
    Turn next = Turn::kReset;
    bool begun = false;         // was ever reset
    bool observe_only = false;  // its ticket means Turn::kObserveOnly
  };
  // The episode of an env so far.
  struct Episode {
    double sum = 0.0;      // of its rewards
    int32_t begun_at = 0;  // elapsed_step when it began
  };

  // Whether an env may be claimed. A lost env could be built neither with new options nor with its
  // old ones.
  enum Flight : uint8_t { kIdle, kInFlight, kLost };

  // The arguments of a call of EnvGroup::Step.
  struct Chunk {
    int32_t envs[kMaxChunk];
    Turn turns[kMaxChunk];
    Result results[kMaxChunk];
  };
  // The memory of Run for one home, made with the pool so that Run allocates nothing.
  struct alignas(64) RunMemory {
    Chunk chunk;
    // Autoreset::kSameStep: the envs that are reset, and their indices in `chunk`.
    struct {
      Chunk next;
      int ended[kMaxChunk];
    } resets;
  };

  // The unfinished batches, by their number.
  struct BatchRing {
    explicit BatchRing(size_t size) : slots(size) {}
    ~BatchRing() {
      for (std::atomic<Batch*>& slot : slots) {
        if (Batch* batch = slot.load()) batch->Release();
      }
    }
    std::atomic<Batch*>& operator[](uint64_t number) { return slots[number % slots.size()]; }
    std::vector<std::atomic<Batch*>> slots;
  };

  void SetEnvOptions();
  std::vector<uint8_t> EnvsWith(const char* info, DType dtype) const;
  void CreateEnvs(const std::vector<std::vector<int>>& cpus);
  [[noreturn]] void RefuseEnv(std::span<const int32_t> envs, size_t i) const;
  void Run(int home, std::span<const Ticket> tickets) noexcept override;
  void WriteStep(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                 const Result* results, int count);
  void WriteObservations(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                         Result* results, int count);
  void WriteOutcomes(Batch& batch, int first, const Result* results, int count) const;
  void WriteTimes(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                  const Result* results, int count);
  void WritePlayers(Batch& batch, int first, const int32_t* envs, const Result* results,
                    int count) const;
  void WriteEpisodes(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                     const Result* results, int count);
  void AddRewards(const Batch& batch, int first, const int32_t* envs, const Turn* turns,
                  const Result* results, int count);
  bool ShowsNext(const Batch& batch, int row) const;
  bool IsOver(const Batch& batch, int row, int32_t env) const;
  void WritePlayerRewards(Batch& batch, int first, const Turn* turns, const Result* results,
                          int count) const;
  bool has_player_rewards() const { return reward_column_ < num_state_columns_; }
  // Autoreset::kSameStep: the copy of a column of the task.
  size_t end_column(size_t column) const { return engine_column(kFinalState) + column; }
  std::vector<Column> MakeColumns() const;
  static bool Settle(EnvState& state, Turn turn, const Result& result);
  bool HasEnded(int32_t env, Turn turn, const Result& result) const;
  void ShowEnd(Batch& batch, int row, int32_t env, bool ended, Result* result);
  void ResetEnded(RunMemory& memory, int count);
  void CheckBegun(int32_t env) const;
  [[noreturn]] void ThrowFailure(int32_t env, const Error& error) const;
  void FailRow(Batch& batch, int row, int32_t env);
  void ZeroRow(Batch& batch, size_t first_column, int row) const;
  void ZeroCell(Batch& batch, size_t column, int row) const;

  const std::shared_ptr<const Setup> setup_;
  const std::string task_;
  const PoolOptions options_;
  // The setup of each env, if they differ; else empty. They outlive the envs of the group.
  std::vector<std::shared_ptr<const Setup>> env_setups_;
  std::unique_ptr<EnvGroup> group_;
  ActionStore actions_;
  const size_t num_state_columns_;
  const int32_t most_players_;  // Setup::most_players()
  const size_t reward_column_;  // the task's own, which is not shown; num_state_columns_ if none
  // The columns of the infos "reward" (float32) and "terminated" (int32); num_state_columns_ if the
  // task has none.
  const size_t true_reward_column_, game_over_column_;
  // Whether the task of each env has them, if only some of the pool's tasks do; else empty.
  std::vector<uint8_t> has_true_reward_, has_game_over_;
  const std::shared_ptr<BatchCache> cache_;
  std::vector<RunMemory> memory_;   // of each home
  std::vector<EnvState> envs_;      // each owned by the thread that runs the env
  std::vector<Episode> episodes_;   // the same; empty unless options_.record_episodes
  std::vector<uint8_t> in_flight_;  // kIdle, kInFlight or kLost; owned by the sending thread
  std::vector<int32_t> players_;    // see players(); empty if most_players_ is 0
  int64_t pending_rows_ = 0;        // sent and not accepted yet
  uint64_t batches_sent_ = 0, batches_received_ = 0;
  SpinBackoff backoff_;                              // the receiver's
  BatchRing batches_;                                // a sync pool adds one at Send, async at Recv
  alignas(64) std::atomic<uint64_t> rows_taken_{0};  // async: rows of all batches so far
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace parallel_pool
