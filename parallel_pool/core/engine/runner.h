// Runs chunks: steps the envs, takes rows of batches for them, and writes these rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/engine/chunk_runner.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/engine/rows.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The engine's state of an env. The thread that runs the env owns it.
struct EnvState {
  int32_t elapsed_step = 0;
  int32_t max_steps = 0;  // the time limit
  Turn next = Turn::kReset;
  bool begun = false;          // has a world: its last Reset did not throw
  bool observe_only = false;   // its ticket means Turn::kObserveOnly
  bool is_lost = false;        // see Error::env_is_lost
  int32_t next_max_steps = 0;  // max_steps from the next reset on; 0: nothing is queued for it
};

// The episode of an env so far, for PoolOptions::record_episodes.
struct Episode {
  double sum = 0.0;        // of its rewards
  int32_t begun_at = 0;    // elapsed_step when it began
  int32_t open_steps = 0;  // its steps so far, if a life has ended and the game may go on; else 0
};

class Runner final : public ChunkRunner {
 public:
  using Layout = BatchLayout;

  // The envs of the pool: a state for each, and if they are recorded, episodes_per_env() episodes.
  struct Envs {
    EnvGroup* group;
    std::byte* const* actions;
    EnvState* states;
    Episode* episodes;
  };

  // Has memory for `homes` threads, so that Run allocates nothing. The references must stay valid.
  Runner(const PoolOptions& options, const BatchLayout& layout, RowTaker& batches, int homes,
         const Envs& envs);

  // Any thread: the envs are stepped by `group` from the next call on.
  void SetGroup(EnvGroup& group) { group_.store(&group, std::memory_order_release); }
  // Runs tickets of at most kMaxChunk envs. One thread at a time for each home.
  void Run(int home, std::span<const Ticket> tickets) noexcept override;

 private:
  // The arguments of a call of EnvGroup::Step.
  struct Chunk {
    int32_t envs[kMaxChunk];
    Turn turns[kMaxChunk];
    Result results[kMaxChunk];
  };
  // The memory of Run for one home.
  struct alignas(64) RunMemory {
    Chunk chunk;
    // The envs of `chunk` that another call steps, and their indices there: those that repeat their
    // action; then, with Autoreset::kSameStep, those that are reset.
    struct {
      Chunk chunk;
      int index[kMaxChunk];
    } more;
  };

  // PoolOptions::action_repeat: steps the envs of a chunk again until their episodes end. Their
  // results have the sum of the rewards, and what the last step returns.
  void RepeatActions(RunMemory& memory, int count);

  // Functions with `first` and `count` write `count` rows of `batch` from row `first` on: row
  // first + i is that of envs[i], whose turn and result are turns[i] and results[i]. They are in
  // the order of their calls; those that are indented are parts of the one above.

  // Writes what the step has returned, and moves the env's state to its next turn.
  void WriteStep(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                 const Result* results, int count);
  //   terminated, discount, and the reward unless players have their own.
  void WriteOutcomes(BatchRows& batch, int first, const Result* results, int count) const;
  //   truncated, step_type, elapsed_step and env_id (autoreset.cc).
  void WriteTimes(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                  const Result* results, int count);
  //   Sets elapsed_step and the next turn of an env; returns whether its episode is truncated.
  static bool AdvanceEpisode(EnvState& state, Turn turn, const Result& result);

  // Autoreset::kSameStep, between WriteStep and WriteObservations (autoreset.cc).
  //   Whether this step has ended an episode that is to be reset.
  bool HasEnded(int32_t env, Turn turn, const Result& result) const;
  //   Fills the final columns of a row: observes the end into them, or zeroes them. `result` fails
  //   if Observe throws, and FailRow zeroes them.
  void WriteFinalColumns(BatchRows& batch, int row, int32_t env, bool ended, Result* result);
  //   Zeroes the final columns of a row.
  void ZeroEnd(BatchRows& batch, int row) const;
  //   Begins the next episodes of a chunk of `count` envs, all in one call. Those that throw fail.
  void ResetEnded(RunMemory& memory, int count);

  // Observes the envs into their rows, and makes the rows of those that have failed.
  void WriteObservations(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                         Result* results, int count);
  //   PoolOptions::time_aware: the elapsed part of the time limit, in the last element of a row.
  void WriteElapsed(BatchRows& batch, size_t column, int row, int32_t env) const;
  //   A failed row: zeros, truncated, LAST with discount 1, without an end. Its env is reset next.
  void FailRow(BatchRows& batch, int row, int32_t env);
  //   Zeroes the columns of the task, or their copies, from `first_column` on.
  void ZeroRow(BatchRows& batch, size_t first_column, int row) const;
  //   Zeroes one column.
  void ZeroCell(BatchRows& batch, size_t column, int row) const;
  //   The env and the number of the players of each row.
  void WritePlayers(BatchRows& batch, int first, const int32_t* envs, const Result* results,
                    int count) const;
  //   Copies the players' rewards to the column that the user receives. Only a step has rewards.
  void WritePlayerRewards(BatchRows& batch, int first, const Turn* turns, const Result* results,
                          int count) const;

  // Adds the rewards to the episodes, and writes those that have ended. Comes last, because it
  // reads what the task has observed (runner_episodes.cc).
  void WriteEpisodes(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                     const Result* results, int count);
  //   The rewards are those before any clipping. A row that is no step has none.
  void AddRewards(const BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                  const Result* results, int count);
  //   The same where players have rewards of their own.
  void AddPlayerRewards(const BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                        const Result* results, int count);
  //   The return of an env's episode, or of each player that is in the row.
  void WriteReturns(BatchRows& batch, int row, int32_t env, const Result& result) const;
  //   Calls body(row of the player in its env, number of the player) for each player of a row.
  template <class Body>
  void ForEachPlayer(const BatchRows& batch, int row, const Result& result, const Body& body) const;
  std::span<Episode> EpisodesOf(int32_t env) const {
    const auto count = static_cast<size_t>(layout_.episodes_per_env());
    return {envs_.episodes + env * count, count};
  }
  //   The returns that a row of the batch has room for.
  int32_t players_per_row() const {
    return layout_.has_player_rewards() ? layout_.most_players() : 1;
  }
  //   Whether the row shows the next episode, and the end in its final columns.
  bool ShowsNext(const BatchRows& batch, int row) const;
  //   Whether a step that ended an episode for the learner has also ended the game.
  bool IsOver(const BatchRows& batch, int row, int32_t env) const;

  EnvGroup& group() const { return *group_.load(std::memory_order_acquire); }
  bool sync() const { return options_.batch_size == options_.num_envs; }
  const std::vector<Column>& columns() const { return layout_.columns(); }

  const PoolOptions& options_;
  const BatchLayout& layout_;
  RowTaker& batches_;
  const Envs envs_;
  std::atomic<EnvGroup*> group_;   // envs_.group, or what stands around it
  const size_t obs_column_;        // PoolOptions::time_aware: that of "obs"
  std::vector<RunMemory> memory_;  // of each home
};

}  // namespace parallel_pool
