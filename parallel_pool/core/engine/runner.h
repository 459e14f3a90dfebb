// Runs chunks: steps the envs, takes rows of batches for them, and writes these rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/engine/rows.h"
#include "parallel_pool/core/engine/ticket_queue.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// What the engine knows of an env. The thread that runs the env owns it.
struct EnvState {
  int32_t elapsed_step = 0;
  int32_t max_steps = 0;  // the time limit
  Turn next = Turn::kReset;
  bool begun = false;         // was ever reset
  bool observe_only = false;  // its ticket means Turn::kObserveOnly
};

// The episode of an env so far, for PoolOptions::record_episodes.
struct Episode {
  double sum = 0.0;      // of its rewards
  int32_t begun_at = 0;  // elapsed_step when it began
};

class Runner {
 public:
  using Layout = BatchLayout;

  // The envs of the pool: a state for each, and an episode for each if they are recorded.
  struct Envs {
    EnvGroup* group;
    std::byte* const* actions;
    EnvState* states;
    Episode* episodes;
  };

  // Has memory for `homes` threads, so that Run allocates nothing. The references must stay valid.
  Runner(const PoolOptions& options, const BatchLayout& layout, RowTaker& batches, int homes,
         const Envs& envs);

  // Runs tickets of at most kMaxChunk envs. One thread at a time for each home.
  void Run(int home, std::span<const Ticket> tickets) noexcept;

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
    // Autoreset::kSameStep: the envs that are reset, and their indices in `chunk`.
    struct {
      Chunk next;
      int ended[kMaxChunk];
    } resets;
  };

  void WriteStep(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                 const Result* results, int count);
  void WriteObservations(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                         Result* results, int count);
  void WriteOutcomes(BatchRows& batch, int first, const Result* results, int count) const;
  void WriteTimes(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                  const Result* results, int count);
  void WritePlayers(BatchRows& batch, int first, const int32_t* envs, const Result* results,
                    int count) const;
  void WriteEpisodes(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                     const Result* results, int count);
  void AddRewards(const BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                  const Result* results, int count);
  bool ShowsNext(const BatchRows& batch, int row) const;
  bool IsOver(const BatchRows& batch, int row, int32_t env) const;
  void WritePlayerRewards(BatchRows& batch, int first, const Turn* turns, const Result* results,
                          int count) const;
  static bool Settle(EnvState& state, Turn turn, const Result& result);
  bool HasEnded(int32_t env, Turn turn, const Result& result) const;
  void ShowEnd(BatchRows& batch, int row, int32_t env, bool ended, Result* result);
  void ResetEnded(RunMemory& memory, int count);
  void FailRow(BatchRows& batch, int row, int32_t env);
  void ZeroRow(BatchRows& batch, size_t first_column, int row) const;
  void ZeroCell(BatchRows& batch, size_t column, int row) const;

  bool sync() const { return options_.batch_size == options_.num_envs; }
  const std::vector<Column>& columns() const { return layout_.columns(); }

  const PoolOptions& options_;
  const BatchLayout& layout_;
  RowTaker& batches_;
  const Envs envs_;
  std::vector<RunMemory> memory_;  // of each home
};

}  // namespace parallel_pool
