// What a worker does with a chunk: step, take rows, observe.
#include <algorithm>
#include <cstring>

#include "parallel_pool/core/pool.h"

namespace parallel_pool {

// Of EngineColumn::kStepType, as dm_env numbers them.
enum StepType : int32_t { kBegins, kGoesOn, kEnds };

void Pool::Run(std::span<const Ticket> tickets) noexcept {
  // Initialised once a thread, not once a chunk.
  static thread_local int32_t envs[kMaxChunk];
  static thread_local Turn turns[kMaxChunk];
  static thread_local Result results[kMaxChunk];
  int count = 0;
  for (const Ticket& ticket : tickets) {
    for (int32_t env = ticket.env; env < ticket.env + ticket.count; ++env, ++count) {
      EnvState& state = envs_[env];
      envs[count] = env;
      turns[count] = state.look ? Turn::kLook : ticket.reset ? Turn::kReset : state.next;
      state.look = false;
    }
  }
  group_->Step(envs, turns, count, actions_.rows(), results);
  // Rows that were taken when the envs were done: first finished, first received.
  uint64_t taken = sync() ? 0 : rows_taken_.fetch_add(count, std::memory_order_acq_rel);
  const Ticket* ticket = tickets.data();
  for (int i = 0, n; i < count; i += n) {
    const uint64_t number =
        sync() ? ticket->batch : taken / static_cast<uint64_t>(options_.batch_size);
    Batch& batch = *batches_[number].load(std::memory_order_acquire);
    const int first = sync() ? ticket->row : static_cast<int>(taken - batch.first_row());
    n = sync() ? ticket->count : std::min(count - i, batch.rows() - first);
    WriteRows(batch, first, envs + i, turns + i, results + i, n);
    batch.Finish(n);
    taken += n;
    ++ticket;
  }
}

// How old the episode is now, and what comes next; whether it is cut off.
bool Pool::Settle(int32_t env, Turn turn, const Result& result) {
  EnvState& state = envs_[env];
  if (turn == Turn::kLook) return false;
  bool truncated = result.failed;
  if (turn == Turn::kStep) {
    truncated |= ++state.elapsed_step >= options_.max_episode_steps;
  } else {
    state.begun = true;
    if (result.new_world) state.elapsed_step = 0;
  }
  const bool over = result.outcome.terminated && !result.outcome.goes_on;
  state.next = truncated ? Turn::kReset : over ? Turn::kContinue : Turn::kStep;
  return truncated;
}

void Pool::WriteRows(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                     Result* results, int count) {
  auto* reward = batch.column<float>(engine_column(kReward)) + first;
  auto* terminated = batch.column<bool>(engine_column(kTerminated)) + first;
  auto* truncated = batch.column<bool>(engine_column(kTruncated)) + first;
  auto* discount = batch.column<float>(engine_column(kDiscount)) + first;
  auto* step_type = batch.column<int32_t>(engine_column(kStepType)) + first;
  auto* elapsed_step = batch.column<int32_t>(engine_column(kElapsedStep)) + first;
  for (int i = 0; i < count; ++i) {
    const Outcome outcome = results[i].outcome;
    const Turn turn = turns[i];
    truncated[i] = Settle(envs[i], turn, results[i]) && turn == Turn::kStep;
    reward[i] = static_cast<float>(outcome.reward);
    terminated[i] = outcome.terminated;
    discount[i] = outcome.terminated ? 0.0f : outcome.discount;
    const bool begins = turn == Turn::kReset || turn == Turn::kContinue;
    step_type[i] = begins ? kBegins : envs_[envs[i]].next != Turn::kStep ? kEnds : kGoesOn;
    elapsed_step[i] = envs_[envs[i]].elapsed_step;
  }
  std::copy_n(envs, count, batch.column<int32_t>(engine_column(kEnvId)) + first);
  if (options_.autoreset == Autoreset::kSameStep) {
    for (int i = 0; i < count; ++i) {
      ShowEnd(batch, first + i, envs[i], turns[i], &results[i]);
      elapsed_step[i] = envs_[envs[i]].elapsed_step;
    }
  }
  group_->Observe(envs, count, batch.columns(), first, results);
  for (int i = 0; i < count; ++i) {
    if (!results[i].failed) continue;
    FailRow(batch, first + i, envs[i]);
    reward[i] = 0.0f;
    terminated[i] = false;
    truncated[i] = true;  // nothing more comes of this episode
    step_type[i] = kEnds;
    envs_[envs[i]].next = Turn::kReset;
  }
  WritePlayers(batch, first, envs, turns, results, count);
}

// Whose the players of each row are and how many; nothing but a step gives them rewards.
void Pool::WritePlayers(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                        const Result* results, int count) const {
  auto* env_id = batch.column<int32_t>(engine_column(kPlayerEnvId));
  if (most_players_ == 0) {
    std::copy_n(envs, count, env_id + first);
    return;
  }
  auto* players = batch.column<int32_t>(players_column()) + first;
  for (int i = 0; i < count; ++i) {
    const int64_t first_player = int64_t{first + i} * most_players_;
    std::fill_n(env_id + first_player, most_players_, envs[i]);
    const bool all = results[i].failed || results[i].players < 0;
    players[i] = all ? most_players_ : results[i].players;
    if (reward_column_ < num_state_columns_ && turns[i] != Turn::kStep) {
      std::fill_n(batch.column<float>(reward_column_) + first_player, most_players_, 0.0f);
    }
  }
}

// Autoreset in the same step: an episode that has ended is shown in the final columns, and the
// next one begins.
void Pool::ShowEnd(Batch& batch, int row, int32_t env, Turn turn, Result* result) {
  EnvState& state = envs_[env];
  const bool ended = turn == Turn::kStep && state.next != Turn::kStep && !result->failed;
  batch.column<bool>(engine_column(kIsFinal))[row] = ended;
  batch.column<bool>(engine_column(kIsFinalToo))[row] = ended;
  batch.column<int32_t>(engine_column(kFinalElapsedStep))[row] = ended ? state.elapsed_step : 0;
  const size_t copies = engine_column(kFinalState);
  if (!ended) return ZeroRow(batch, copies, row);
  group_->Observe(&env, 1, batch.columns() + copies, row, result);
  if (result->failed) {  // there is no end to show
    batch.column<bool>(engine_column(kIsFinal))[row] = false;
    batch.column<bool>(engine_column(kIsFinalToo))[row] = false;
    batch.column<int32_t>(engine_column(kFinalElapsedStep))[row] = 0;
    return ZeroRow(batch, copies, row);
  }
  const Turn next = state.next;
  Result begun;
  group_->Step(&env, &next, 1, actions_.rows(), &begun);
  result->failed = begun.failed;
  Settle(env, next, begun);
}

void Pool::FailRow(Batch& batch, int row, int32_t env) {
  ZeroRow(batch, 0, row);
  batch.Fail({env, row, envs_[env].elapsed_step, group_->Failure(env)});
}

// Of as many columns as the task has, from `first_column` on.
void Pool::ZeroRow(Batch& batch, size_t first_column, int row) const {
  for (size_t k = 0; k < num_state_columns_; ++k) {
    const int64_t bytes = columns()[k].row_bytes();
    std::memset(batch.columns()[first_column + k] + row * bytes, 0, bytes);
  }
}

}  // namespace parallel_pool
