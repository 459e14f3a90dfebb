// What a worker does with a chunk: step, take rows, observe.
#include <algorithm>
#include <cstring>

#include "parallel_pool/core/pool.h"

namespace parallel_pool {

void Pool::Run(const Ticket* tickets, int count, uint64_t position) noexcept {
  // Initialised once a thread, not once a chunk.
  static thread_local int32_t envs[kMaxChunk];
  static thread_local Turn turns[kMaxChunk];
  static thread_local Result results[kMaxChunk];
  for (int i = 0; i < count; ++i) {
    envs[i] = tickets[i].env;
    EnvState& env = envs_[envs[i]];
    turns[i] = env.look ? Turn::kLook : tickets[i].reset ? Turn::kReset : env.next;
    env.look = false;
  }
  group_->Step(envs, turns, count, actions_.rows(), results);
  for (int i = 0; i < count; ++i) Settle(envs[i], turns[i], results[i]);
  // Rows are taken when the envs are done: first finished, first received.
  const uint64_t row = sync() ? position : rows_taken_.fetch_add(count, std::memory_order_acq_rel);
  for (int i = 0; i < count;) {
    const uint64_t number =
        sync() ? tickets[i].batch : (row + i) / static_cast<uint64_t>(options_.batch_size);
    Batch& batch = *batches_[number].load(std::memory_order_acquire);
    const int first = static_cast<int>(row + i - batch.first_row());
    const int n = std::min(count - i, batch.rows() - first);
    WriteRows(batch, first, envs + i, turns + i, results + i, n);
    batch.Finish(n);
    i += n;
  }
}

// How old the episode is now, and what comes next.
void Pool::Settle(int32_t env, Turn turn, const Result& result) {
  EnvState& state = envs_[env];
  if (turn == Turn::kLook) return;
  state.begun = true;
  if (turn == Turn::kStep) {
    ++state.elapsed_step;
  } else if (result.new_world) {
    state.elapsed_step = 0;
  }
  const bool truncated =
      result.failed || (turn == Turn::kStep && state.elapsed_step >= options_.max_episode_steps);
  state.next = truncated ? Turn::kReset : result.outcome.terminated ? Turn::kContinue : Turn::kStep;
}

void Pool::WriteRows(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                     Result* results, int count) {
  auto* reward = batch.column<float>(engine_column(kReward)) + first;
  auto* terminated = batch.column<bool>(engine_column(kTerminated)) + first;
  auto* truncated = batch.column<bool>(engine_column(kTruncated)) + first;
  auto* discount = batch.column<float>(engine_column(kDiscount)) + first;
  auto* begins = batch.column<bool>(engine_column(kFirst)) + first;
  auto* env_id = batch.column<int32_t>(engine_column(kEnvId)) + first;
  auto* elapsed_step = batch.column<int32_t>(engine_column(kElapsedStep)) + first;
  auto* player_env_id = batch.column<int32_t>(engine_column(kPlayerEnvId)) + first;
  for (int i = 0; i < count; ++i) {
    const Outcome& outcome = results[i].outcome;
    reward[i] = static_cast<float>(outcome.reward);
    terminated[i] = outcome.terminated;
    truncated[i] = turns[i] == Turn::kStep && envs_[envs[i]].next == Turn::kReset;
    discount[i] = outcome.terminated ? 0.0f : outcome.discount;
    begins[i] = turns[i] == Turn::kReset || turns[i] == Turn::kContinue;
    env_id[i] = envs[i];
    player_env_id[i] = envs[i];
    if (options_.autoreset == Autoreset::kSameStep) {
      ShowEnd(batch, first + i, envs[i], turns[i], &results[i]);
    }
    elapsed_step[i] = envs_[envs[i]].elapsed_step;
  }
  group_->Observe(envs, count, batch.columns(), first, results);
  for (int i = 0; i < count; ++i) {
    if (!results[i].failed) continue;
    FailRow(batch, first + i, envs[i]);
    reward[i] = 0.0f;
    terminated[i] = false;
    truncated[i] = true;  // nothing more comes of this episode
    envs_[envs[i]].next = Turn::kReset;
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
