// What a worker does with a chunk: step, take rows, observe.
#include <algorithm>
#include <cstring>

#include "parallel_pool/core/pool.h"

namespace parallel_pool {
namespace {

// Of EngineColumn::kStepType, as dm_env numbers them.
enum StepType : int32_t { kBegins, kGoesOn, kEnds };

struct Chunk {
  int32_t envs[kMaxChunk];
  Turn turns[kMaxChunk];
  Result results[kMaxChunk];
};

}  // namespace

void Pool::Run(std::span<const Ticket> tickets) noexcept {
  // Initialised once a thread, not once a chunk; to find it costs a call.
  static thread_local Chunk chunk;
  auto& [envs, turns, results] = chunk;
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
inline bool Pool::Settle(EnvState& state, Turn turn, const Result& result, int max_steps) {
  if (turn == Turn::kLook) return false;
  bool truncated = result.failed;
  if (turn == Turn::kStep) {
    truncated |= ++state.elapsed_step >= max_steps;
  } else {
    state.begun = true;
    if (result.new_world) state.elapsed_step = 0;
  }
  const bool over = result.outcome.terminated && !result.outcome.goes_on;
  state.next = truncated ? Turn::kReset : over ? Turn::kContinue : Turn::kStep;
  return truncated;
}

// What the envs gave for a step or a reset.
void Pool::WriteOutcomes(Batch& batch, int first, const Result* results, int count) const {
  auto* reward = batch.column<float>(engine_column(kReward)) + first;
  auto* terminated = batch.column<bool>(engine_column(kTerminated)) + first;
  auto* discount = batch.column<float>(engine_column(kDiscount)) + first;
  for (int i = 0; i < count; ++i) {
    const Outcome& outcome = results[i].outcome;
    reward[i] = static_cast<float>(outcome.reward);
    terminated[i] = outcome.terminated;
    discount[i] = outcome.terminated ? 0.0f : outcome.discount;
  }
}

// Where in their episodes the envs are.
void Pool::WriteTimes(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                      const Result* results, int count) {
  auto* truncated = batch.column<bool>(engine_column(kTruncated)) + first;
  auto* step_type = batch.column<int32_t>(engine_column(kStepType)) + first;
  auto* elapsed_step = batch.column<int32_t>(engine_column(kElapsedStep)) + first;
  EnvState* const states = envs_.data();  // what int32s are stored may be any member's
  const int max_steps = options_.max_episode_steps;
  for (int i = 0; i < count; ++i) {
    const Turn turn = turns[i];
    EnvState& state = states[envs[i]];
    truncated[i] = Settle(state, turn, results[i], max_steps) && turn == Turn::kStep;
    const bool begins = turn == Turn::kReset || turn == Turn::kContinue;
    step_type[i] = begins ? kBegins : state.next != Turn::kStep ? kEnds : kGoesOn;
    elapsed_step[i] = state.elapsed_step;
  }
  std::copy_n(envs, count, batch.column<int32_t>(engine_column(kEnvId)) + first);
}

void Pool::WriteRows(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                     Result* results, int count) {
  WriteOutcomes(batch, first, results, count);
  WriteTimes(batch, first, envs, turns, results, count);
  if (options_.autoreset == Autoreset::kSameStep) {
    for (int i = 0; i < count; ++i) ShowEnd(batch, first + i, envs[i], turns[i], &results[i]);
  }
  group_->Observe(envs, count, batch.columns(), first, results);
  for (int i = 0; i < count; ++i) {
    if (results[i].failed) FailRow(batch, first + i, envs[i]);
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
  Settle(state, next, begun, options_.max_episode_steps);
  batch.column<int32_t>(engine_column(kElapsedStep))[row] = state.elapsed_step;
}

void Pool::FailRow(Batch& batch, int row, int32_t env) {
  ZeroRow(batch, 0, row);
  batch.column<float>(engine_column(kReward))[row] = 0.0f;
  batch.column<bool>(engine_column(kTerminated))[row] = false;
  batch.column<bool>(engine_column(kTruncated))[row] = true;  // nothing more comes of this episode
  batch.column<int32_t>(engine_column(kStepType))[row] = kEnds;
  envs_[env].next = Turn::kReset;
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
