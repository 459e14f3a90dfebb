// Runs a chunk: step, take rows, observe.
#include <algorithm>
#include <cstring>

#include "parallel_pool/core/engine/pool.h"

namespace parallel_pool {
void Pool::Run(int home, std::span<const Ticket> tickets) noexcept {
  auto& [envs, turns, results] = memory_[home].chunk;
  int count = 0;
  for (const Ticket& ticket : tickets) {
    for (int32_t env = ticket.env; env < ticket.env + ticket.count; ++env, ++count) {
      EnvState& state = envs_[env];
      envs[count] = env;
      turns[count] = state.observe_only ? Turn::kObserveOnly
                     : ticket.reset     ? Turn::kReset
                                        : state.next;
      state.observe_only = false;
    }
  }
  group_->Step(envs, turns, count, actions_.rows(), results);
  // An async pool takes rows when the envs are done: first finished, first received.
  const uint64_t first_taken = sync() ? 0 : rows_taken_.fetch_add(count, std::memory_order_acq_rel);
  // Calls body(batch, first row, first env, number of envs) for each run of envs with neighboring
  // rows in one batch.
  const auto for_each_run = [&](const auto& body) {
    uint64_t taken = first_taken;
    const Ticket* ticket = tickets.data();
    for (int i = 0, n; i < count; i += n) {
      const uint64_t number =
          sync() ? ticket->batch : taken / static_cast<uint64_t>(options_.batch_size);
      Batch& batch = *batches_[number].load(std::memory_order_acquire);
      const int first = sync() ? ticket->row : static_cast<int>(taken - batch.first_row());
      n = sync() ? ticket->count : std::min(count - i, batch.rows() - first);
      body(batch, first, i, n);
      taken += n;
      ++ticket;
    }
  };
  if (options_.autoreset == Autoreset::kSameStep) {
    for_each_run([&](Batch& batch, int first, int i, int n) {
      WriteStep(batch, first, envs + i, turns + i, results + i, n);
      for (int k = i; k < i + n; ++k) {
        ShowEnd(batch, first + k - i, envs[k], HasEnded(envs[k], turns[k], results[k]),
                &results[k]);
      }
    });
    ResetEnded(memory_[home], count);
    for_each_run([&](Batch& batch, int first, int i, int n) {
      auto* elapsed_step = batch.column<int32_t>(engine_column(kElapsedStep)) + first;
      for (int k = 0; k < n; ++k) elapsed_step[k] = envs_[envs[i + k]].elapsed_step;
      WriteObservations(batch, first, envs + i, turns + i, results + i, n);
      WriteEpisodes(batch, first, envs + i, turns + i, results + i, n);
      batch.Finish(n);
    });
  } else {
    for_each_run([&](Batch& batch, int first, int i, int n) {
      WriteStep(batch, first, envs + i, turns + i, results + i, n);
      WriteObservations(batch, first, envs + i, turns + i, results + i, n);
      WriteEpisodes(batch, first, envs + i, turns + i, results + i, n);
      batch.Finish(n);
    });
  }
}

// Sets the episode's number of steps and the env's next turn; returns whether the episode is
// truncated.
inline bool Pool::Settle(EnvState& state, Turn turn, const Result& result) {
  if (turn == Turn::kObserveOnly) return false;
  bool truncated = result.failed;
  if (turn == Turn::kStep) {
    truncated |= (++state.elapsed_step >= state.max_steps) | result.outcome.truncated;
  } else {
    state.begun = true;
    if (result.new_world) state.elapsed_step = 0;
  }
  const bool over = result.outcome.terminated && !result.outcome.episode_continues;
  state.next = truncated ? Turn::kReset : over ? Turn::kContinue : Turn::kStep;
  return truncated;
}

void Pool::WriteOutcomes(Batch& batch, int first, const Result* results, int count) const {
  auto* terminated = batch.column<bool>(engine_column(kTerminated)) + first;
  auto* discount = batch.column<float>(engine_column(kDiscount)) + first;
  for (int i = 0; i < count; ++i) {
    const Outcome& outcome = results[i].outcome;
    terminated[i] = outcome.terminated;
    discount[i] = outcome.terminated ? 0.0f : outcome.discount;
  }
  if (has_player_rewards()) return;  // the env has not observed them yet
  const auto write = [&]<class Reward>(Reward* reward) {
    for (int i = 0; i < count; ++i) reward[i] = static_cast<Reward>(results[i].outcome.reward);
  };
  if (options_.reward_dtype == DType::kFloat64) {
    write(batch.column<double>(engine_column(kReward)) + first);
  } else {
    write(batch.column<float>(engine_column(kReward)) + first);
  }
}

// Writes truncated, step_type, elapsed_step and env_id.
void Pool::WriteTimes(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                      const Result* results, int count) {
  auto* truncated = batch.column<bool>(engine_column(kTruncated)) + first;
  auto* step_type = batch.column<int32_t>(engine_column(kStepType)) + first;
  auto* elapsed_step = batch.column<int32_t>(engine_column(kElapsedStep)) + first;
  EnvState* const states = envs_.data();  // a local pointer: stores of int32_t may alias members
  for (int i = 0; i < count; ++i) {
    const Turn turn = turns[i];
    EnvState& state = states[envs[i]];
    truncated[i] = Settle(state, turn, results[i]) && turn == Turn::kStep;
    const bool begins = turn == Turn::kReset || turn == Turn::kContinue;
    step_type[i] = begins ? kFirst : state.next != Turn::kStep ? kLast : kMid;
    elapsed_step[i] = state.elapsed_step;
  }
  std::copy_n(envs, count, batch.column<int32_t>(engine_column(kEnvId)) + first);
}

void Pool::WriteStep(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                     const Result* results, int count) {
  WriteOutcomes(batch, first, results, count);
  WriteTimes(batch, first, envs, turns, results, count);
}

void Pool::WriteObservations(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                             Result* results, int count) {
  group_->Observe(envs, count, batch.columns(), first, results);
  for (int i = 0; i < count; ++i) {
    if (results[i].failed) FailRow(batch, first + i, envs[i]);
  }
  WritePlayers(batch, first, envs, results, count);
  if (has_player_rewards()) WritePlayerRewards(batch, first, turns, results, count);
}

// Writes the env and the number of the players of each row.
void Pool::WritePlayers(Batch& batch, int first, const int32_t* envs, const Result* results,
                        int count) const {
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
  }
}

// Writes the players' rewards in the dtype that the user receives. Only a step has rewards.
void Pool::WritePlayerRewards(Batch& batch, int first, const Turn* turns, const Result* results,
                              int count) const {
  const auto write = [&]<class From, class To>(const From* from, To* to) {
    for (int i = 0; i < count; ++i, from += most_players_, to += most_players_) {
      const bool is_step = turns[i] == Turn::kStep && !results[i].failed;
      const int32_t present = !is_step                 ? 0
                              : results[i].players < 0 ? most_players_
                                                       : results[i].players;
      for (int32_t p = 0; p < present; ++p) to[p] = static_cast<To>(from[p]);
      std::fill(to + present, to + most_players_, To{0});
    }
  };
  const int64_t first_player = int64_t{first} * most_players_;
  const auto write_to = [&]<class To>(To* to) {
    if (columns()[reward_column_].dtype == DType::kFloat64) {
      write(batch.column<double>(reward_column_) + first_player, to);
    } else {
      write(batch.column<float>(reward_column_) + first_player, to);
    }
  };
  if (options_.reward_dtype == DType::kFloat64) {
    write_to(batch.column<double>(engine_column(kReward)) + first_player);
  } else {
    write_to(batch.column<float>(engine_column(kReward)) + first_player);
  }
}

// Whether this step has ended an episode.
bool Pool::HasEnded(int32_t env, Turn turn, const Result& result) const {
  return turn == Turn::kStep && envs_[env].next != Turn::kStep && !result.failed;
}

// Autoreset in the same step: fills the final columns of a row.
void Pool::ShowEnd(Batch& batch, int row, int32_t env, bool ended, Result* result) {
  const size_t copies = engine_column(kFinalState);
  if (ended) {
    group_->Observe(&env, 1, batch.columns() + copies, row, result);
    ended = !result->failed;
  }
  batch.column<bool>(engine_column(kFinalObsMask))[row] = ended;
  batch.column<bool>(engine_column(kFinalInfoMask))[row] = ended;
  batch.column<int32_t>(engine_column(kFinalElapsedStep))[row] =
      ended ? envs_[env].elapsed_step : 0;
  if (!ended) ZeroRow(batch, copies, row);
}

// Autoreset in the same step: begins the next episodes of a chunk, all in one call.
void Pool::ResetEnded(RunMemory& memory, int count) {
  auto& [envs, turns, results] = memory.chunk;
  auto& [next, ended] = memory.resets;
  int num_ended = 0;
  for (int i = 0; i < count; ++i) {
    if (!HasEnded(envs[i], turns[i], results[i])) continue;
    next.envs[num_ended] = envs[i];
    next.turns[num_ended] = envs_[envs[i]].next;
    ended[num_ended++] = i;
  }
  if (num_ended == 0) return;
  group_->Step(next.envs, next.turns, num_ended, actions_.rows(), next.results);
  for (int k = 0; k < num_ended; ++k) {
    results[ended[k]].failed = next.results[k].failed;
    Settle(envs_[next.envs[k]], next.turns[k], next.results[k]);
  }
}

void Pool::FailRow(Batch& batch, int row, int32_t env) {
  ZeroRow(batch, 0, row);
  ZeroCell(batch, engine_column(kReward), row);
  batch.column<bool>(engine_column(kTerminated))[row] = false;
  // Truncated, not terminated: the episode ended without a terminal state, so a learner that
  // bootstraps here is right.
  batch.column<bool>(engine_column(kTruncated))[row] = true;
  batch.column<int32_t>(engine_column(kStepType))[row] = kLast;
  envs_[env].next = Turn::kReset;
  batch.Fail(row);
}

// Zeroes `row` in num_state_columns_ columns, starting at `first_column`.
void Pool::ZeroRow(Batch& batch, size_t first_column, int row) const {
  for (size_t k = 0; k < num_state_columns_; ++k) {
    const int64_t bytes = columns()[k].row_bytes();
    std::memset(batch.columns()[first_column + k] + row * bytes, 0, bytes);
  }
}

void Pool::ZeroCell(Batch& batch, size_t column, int row) const {
  const int64_t bytes = columns()[column].row_bytes();
  std::memset(batch.columns()[column] + row * bytes, 0, bytes);
}

}  // namespace parallel_pool
