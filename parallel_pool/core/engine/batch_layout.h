// The columns of the batches of a pool: those of the task, then those of the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

class BatchLayout {
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
    kEpisodeReturn,  // float64: the sum of its rewards; per player if these are
    kEpisodeLength,  // int32: its steps
    kEpisodeMask,    // bool: an episode has ended in this step
    kNumEpisodeColumns
  };

  BatchLayout(const Setup& setup, const PoolOptions& options);

  const std::vector<Column>& columns() const { return columns_; }
  size_t num_state_columns() const { return num_state_columns_; }
  size_t engine_column(EngineColumn c) const { return num_state_columns_ + c; }
  size_t episode_column(EpisodeColumn c) const {
    return engine_column(same_step_ ? static_cast<EngineColumn>(kFinalState + num_state_columns_)
                                    : kNumEngineColumns) +
           c;
  }
  // Autoreset::kSameStep: the copy of a column of the task.
  size_t end_column(size_t column) const { return engine_column(kFinalState) + column; }
  // The most players of an env; 0 if no array of the task is per player.
  int32_t most_players() const { return most_players_; }
  // The column with the number of players of each row: int32, not shown to the user. Exists only if
  // most_players() > 0.
  size_t players_column() const { return columns_.size() - 1; }

  // The task's own column of rewards, which is not shown.
  bool has_player_rewards() const { return reward_column_ < num_state_columns_; }
  size_t player_reward_column() const { return reward_column_; }
  // An env's episodes: its own one, then that of each player that has rewards of its own.
  int32_t episodes_per_env() const { return 1 + num_agents_; }
  // The column of the info "players.agent": the number of each row's player. Without it, row p of
  // an env belongs to player p.
  bool has_agents() const { return agent_column_ < num_state_columns_; }
  size_t agent_column() const { return agent_column_; }
  // The column of the info "reward" (float32), where any task has it, and whether that of an env
  // has it.
  bool any_has_true_reward() const { return true_reward_column_ < num_state_columns_; }
  size_t true_reward_column() const { return true_reward_column_; }
  bool has_true_reward(int32_t env) const { return Has(has_true_reward_, env); }
  // The same for the info "terminated" (int32).
  bool any_has_game_over() const { return game_over_column_ < num_state_columns_; }
  size_t game_over_column() const { return game_over_column_; }
  bool has_game_over(int32_t env) const { return Has(has_game_over_, env); }

 private:
  static bool Has(const std::vector<uint8_t>& some, int32_t env) {
    return some.empty() || some[env] != 0;
  }

  const bool same_step_;
  const size_t num_state_columns_;
  const int32_t most_players_;
  // num_state_columns_: none
  const size_t reward_column_, agent_column_, true_reward_column_, game_over_column_;
  const int32_t num_agents_;  // 0 unless players have rewards of their own
  // For each env, if the tasks of the pool differ; else empty.
  const std::vector<uint8_t> has_true_reward_, has_game_over_;
  std::vector<Column> columns_;
};

}  // namespace parallel_pool
