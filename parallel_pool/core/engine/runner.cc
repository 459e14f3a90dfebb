#include "parallel_pool/core/engine/runner.h"

#include <algorithm>
#include <cstring>

namespace parallel_pool {

namespace {

size_t ObsColumn(const BatchLayout& layout) {
  const auto is_obs = [](const Column& column) { return column.name == "obs"; };
  return std::ranges::find_if(layout.columns(), is_obs) - layout.columns().begin();
}

}  // namespace

Runner::Runner(const PoolOptions& options, const BatchLayout& layout, RowTaker& batches, int homes,
               const Envs& envs)
    : options_(options),
      layout_(layout),
      batches_(batches),
      envs_(envs),
      group_(envs.group),
      obs_column_(ObsColumn(layout)),
      memory_(homes) {}

void Runner::Run(int home, std::span<const Ticket> tickets) noexcept {
  auto& [envs, turns, results] = memory_[home].chunk;
  int count = 0;
  for (const Ticket& ticket : tickets) {
    for (int32_t env = ticket.env; env < ticket.env + ticket.count; ++env, ++count) {
      EnvState& state = envs_.states[env];
      envs[count] = env;
      turns[count] = state.observe_only ? Turn::kObserveOnly
                     : ticket.reset     ? Turn::kReset
                                        : state.next;
      state.observe_only = false;
    }
  }
  group().Step(envs, turns, count, envs_.actions, results);
  if (options_.action_repeat > 1) RepeatActions(memory_[home], count);
  // An async pool takes rows when the envs are done: first finished, first received.
  const uint64_t first_taken = sync() ? 0 : batches_.Take(count);
  // Calls body(batch, first row, first env, number of envs) for each run of envs with neighboring
  // rows in one batch.
  const auto for_each_run = [&](const auto& body) {
    uint64_t taken = first_taken;
    const Ticket* ticket = tickets.data();
    for (int i = 0, n; i < count; i += n) {
      const uint64_t number =
          sync() ? ticket->batch : taken / static_cast<uint64_t>(options_.batch_size);
      BatchRows& batch = batches_.At(number);
      const int first = sync() ? ticket->row : static_cast<int>(taken - batch.first_row());
      n = sync() ? ticket->count : std::min(count - i, batch.rows() - first);
      body(batch, first, i, n);
      taken += n;
      ++ticket;
    }
  };
  if (options_.autoreset == Autoreset::kSameStep) {
    for_each_run([&](BatchRows& batch, int first, int i, int n) {
      WriteStep(batch, first, envs + i, turns + i, results + i, n);
      for (int k = i; k < i + n; ++k) {
        WriteFinalColumns(batch, first + k - i, envs[k], HasEnded(envs[k], turns[k], results[k]),
                          &results[k]);
      }
    });
    ResetEnded(memory_[home], count);
    for_each_run([&](BatchRows& batch, int first, int i, int n) {
      auto* elapsed_step =
          batch.column<int32_t>(layout_.engine_column(Layout::kElapsedStep)) + first;
      for (int k = 0; k < n; ++k) elapsed_step[k] = envs_.states[envs[i + k]].elapsed_step;
      WriteObservations(batch, first, envs + i, turns + i, results + i, n);
      WriteEpisodes(batch, first, envs + i, turns + i, results + i, n);
      batches_.Finish(batch, n);
    });
  } else {
    for_each_run([&](BatchRows& batch, int first, int i, int n) {
      WriteStep(batch, first, envs + i, turns + i, results + i, n);
      WriteObservations(batch, first, envs + i, turns + i, results + i, n);
      WriteEpisodes(batch, first, envs + i, turns + i, results + i, n);
      batches_.Finish(batch, n);
    });
  }
}

void Runner::RepeatActions(RunMemory& memory, int count) {
  auto& [envs, turns, results] = memory.chunk;
  auto& [again, index] = memory.more;
  for (int repeat = 1; repeat < options_.action_repeat; ++repeat) {
    int n = 0;
    for (int i = 0; i < count; ++i) {
      const Outcome& outcome = results[i].outcome;
      EnvState& state = envs_.states[envs[i]];
      const bool ends = results[i].failed || outcome.terminated || outcome.truncated ||
                        state.elapsed_step + 1 >= state.max_steps;
      if (turns[i] != Turn::kStep || ends) continue;
      ++state.elapsed_step;  // AdvanceEpisode adds the last step
      again.envs[n] = envs[i];
      again.turns[n] = Turn::kStep;
      index[n++] = i;
    }
    if (n == 0) return;
    group().Step(again.envs, again.turns, n, envs_.actions, again.results);
    for (int k = 0; k < n; ++k) {
      Result& result = results[index[k]];
      const Outcome before = result.outcome;
      result = again.results[k];
      result.outcome.reward = before.reward + result.outcome.reward;
      result.outcome.discount *= before.discount;
    }
  }
}

void Runner::WriteOutcomes(BatchRows& batch, int first, const Result* results, int count) const {
  auto* terminated = batch.column<bool>(layout_.engine_column(Layout::kTerminated)) + first;
  auto* discount = batch.column<float>(layout_.engine_column(Layout::kDiscount)) + first;
  for (int i = 0; i < count; ++i) {
    const Outcome& outcome = results[i].outcome;
    terminated[i] = outcome.terminated;
    discount[i] = outcome.terminated ? 0.0f : outcome.discount;
  }
  if (layout_.has_player_rewards()) return;  // the env has not observed them yet
  WithFloat(options_.reward_dtype, [&]<class T>(T*) {
    T* const reward = batch.column<T>(layout_.engine_column(Layout::kReward)) + first;
    for (int i = 0; i < count; ++i) reward[i] = static_cast<T>(results[i].outcome.reward);
  });
}

void Runner::WriteStep(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                       const Result* results, int count) {
  WriteOutcomes(batch, first, results, count);
  WriteTimes(batch, first, envs, turns, results, count);
}

void Runner::WriteObservations(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                               Result* results, int count) {
  group().Observe(envs, count, batch.columns(), first, results);
  for (int i = 0; i < count; ++i) {
    if (!results[i].failed) continue;
    envs_.states[envs[i]].is_lost = results[i].is_lost;
    FailRow(batch, first + i, envs[i]);
  }
  for (int i = 0; options_.time_aware && i < count; ++i) {
    if (!results[i].failed) WriteElapsed(batch, obs_column_, first + i, envs[i]);
  }
  WritePlayers(batch, first, envs, results, count);
  if (layout_.has_player_rewards()) WritePlayerRewards(batch, first, turns, results, count);
}

void Runner::WriteElapsed(BatchRows& batch, size_t column, int row, int32_t env) const {
  const EnvState& state = envs_.states[env];
  // As in gymnasium.wrappers.TimeAwareObservation.
  const auto elapsed =
      static_cast<float>(static_cast<double>(state.elapsed_step) / state.max_steps);
  const int64_t last = (row + 1) * columns()[column].row_size() - 1;
  WithFloat(columns()[column].dtype, [&]<class T>(T*) { batch.column<T>(column)[last] = elapsed; });
}

void Runner::WritePlayers(BatchRows& batch, int first, const int32_t* envs, const Result* results,
                          int count) const {
  auto* env_id = batch.column<int32_t>(layout_.engine_column(Layout::kPlayerEnvId));
  if (layout_.most_players() == 0) {
    std::copy_n(envs, count, env_id + first);
    return;
  }
  auto* players = batch.column<int32_t>(layout_.players_column()) + first;
  for (int i = 0; i < count; ++i) {
    const int64_t first_player = int64_t{first + i} * layout_.most_players();
    std::fill_n(env_id + first_player, layout_.most_players(), envs[i]);
    const bool all = results[i].failed || results[i].players < 0;
    players[i] = all ? layout_.most_players() : results[i].players;
  }
}

void Runner::WritePlayerRewards(BatchRows& batch, int first, const Turn* turns,
                                const Result* results, int count) const {
  const int32_t most = layout_.most_players();
  const size_t own = layout_.player_reward_column();
  const auto write = [&]<class From, class To>(From*, To*) {
    const From* from = batch.column<From>(own) + int64_t{first} * most;
    To* to = batch.column<To>(layout_.engine_column(Layout::kReward)) + int64_t{first} * most;
    for (int i = 0; i < count; ++i, from += most, to += most) {
      const bool is_step = turns[i] == Turn::kStep && !results[i].failed;
      const int32_t present = !is_step ? 0 : results[i].players < 0 ? most : results[i].players;
      for (int32_t p = 0; p < present; ++p) to[p] = static_cast<To>(from[p]);
      std::fill(to + present, to + most, To{0});
    }
  };
  WithFloat(columns()[own].dtype, [&](auto* from) {
    WithFloat(options_.reward_dtype, [&](auto* to) { write(from, to); });
  });
}

void Runner::FailRow(BatchRows& batch, int row, int32_t env) {
  ZeroRow(batch, 0, row);
  ZeroCell(batch, layout_.engine_column(Layout::kReward), row);
  batch.column<bool>(layout_.engine_column(Layout::kTerminated))[row] = false;
  // Truncated, not terminated: the episode ended without a terminal state, so a learner that
  // bootstraps here is right.
  batch.column<bool>(layout_.engine_column(Layout::kTruncated))[row] = true;
  batch.column<float>(layout_.engine_column(Layout::kDiscount))[row] = 1.0f;
  batch.column<int32_t>(layout_.engine_column(Layout::kStepType))[row] = Layout::kLast;
  if (options_.autoreset == Autoreset::kSameStep) ZeroEnd(batch, row);
  envs_.states[env].next = Turn::kReset;
  batches_.Fail(batch, row);
}

void Runner::ZeroRow(BatchRows& batch, size_t first_column, int row) const {
  for (size_t k = 0; k < layout_.num_state_columns(); ++k) {
    const int64_t bytes = columns()[k].row_bytes();
    std::memset(batch.columns()[first_column + k] + row * bytes, 0, bytes);
  }
}

void Runner::ZeroCell(BatchRows& batch, size_t column, int row) const {
  const int64_t bytes = columns()[column].row_bytes();
  std::memset(batch.columns()[column] + row * bytes, 0, bytes);
}

}  // namespace parallel_pool
