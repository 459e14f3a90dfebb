// The statistics of episodes: their returns and lengths.
//
// Nearly all rows are in the middle of an episode. They cost one addition; only the others, which
// begin or end one, are looked at.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "parallel_pool/core/engine/runner.h"

namespace parallel_pool {

void Runner::WriteEpisodes(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                           const Result* results, int count) {
  if (envs_.episodes == nullptr) return;
  auto* const sum = batch.column<double>(layout_.episode_column(Layout::kEpisodeReturn)) +
                    int64_t{first} * players_per_row();
  auto* const steps = batch.column<int32_t>(layout_.episode_column(Layout::kEpisodeLength)) + first;
  auto* const mask = batch.column<bool>(layout_.episode_column(Layout::kEpisodeMask)) + first;
  std::memset(sum, 0, count * players_per_row() * sizeof *sum);
  std::memset(steps, 0, count * sizeof *steps);
  std::memset(mask, 0, count * sizeof *mask);
  AddRewards(batch, first, envs, turns, results, count);
  // Lists first: a branch at each row would often be predicted wrongly.
  int others[kMaxChunk], begun[kMaxChunk], ended[kMaxChunk];
  int num_others = 0, num_begun = 0, num_ended = 0;
  const auto* const step_type =
      batch.column<int32_t>(layout_.engine_column(Layout::kStepType)) + first;
  for (int i = 0; i < count; ++i) {
    others[num_others] = i;
    num_others += step_type[i] != Layout::kMid;
  }
  for (const int i : std::span(others, num_others)) {
    begun[num_begun] = ended[num_ended] = i;
    num_begun += step_type[i] == Layout::kFirst;
    num_ended += (step_type[i] == Layout::kLast) & (turns[i] == Turn::kStep) & !results[i].failed;
  }
  for (const int i : std::span(begun, num_begun)) {
    const std::span<Episode> episodes = EpisodesOf(envs[i]);
    const int32_t open_steps = std::exchange(episodes[0].open_steps, 0);
    if (!results[i].new_world) continue;
    // The game was to go on with the next life. It has ended in between, and another one has begun.
    if (turns[i] == Turn::kContinue && open_steps > 0) {
      WriteReturns(batch, first + i, envs[i], results[i]);
      steps[i] = open_steps;
      mask[i] = true;
    }
    std::ranges::fill(episodes, Episode());
  }
  const int32_t* const elapsed_step =
      batch.column<int32_t>(layout_.engine_column(options_.autoreset == Autoreset::kSameStep
                                                      ? Layout::kFinalElapsedStep
                                                      : Layout::kElapsedStep)) +
      first;
  for (const int i : std::span(ended, num_ended)) {
    const std::span<Episode> episodes = EpisodesOf(envs[i]);
    const int32_t length = elapsed_step[i] - episodes[0].begun_at;
    if (!IsOver(batch, first + i, envs[i])) {
      episodes[0].open_steps = length;
      continue;
    }
    WriteReturns(batch, first + i, envs[i], results[i]);
    steps[i] = length;
    mask[i] = true;
    std::ranges::fill(episodes, Episode{.begun_at = envs_.states[envs[i]].elapsed_step});
  }
}

void Runner::WriteReturns(BatchRows& batch, int row, int32_t env, const Result& result) const {
  const std::span<Episode> episodes = EpisodesOf(env);
  auto* const sum = batch.column<double>(layout_.episode_column(Layout::kEpisodeReturn)) +
                    int64_t{row} * players_per_row();
  if (!layout_.has_player_rewards()) {
    *sum = episodes[0].sum;
    return;
  }
  ForEachPlayer(batch, row, result,
                [&](int32_t p, int32_t agent) { sum[p] = episodes[1 + agent].sum; });
}

template <class Body>
void Runner::ForEachPlayer(const BatchRows& batch, int row, const Result& result,
                           const Body& body) const {
  const int32_t present = result.players < 0 ? layout_.most_players() : result.players;
  const int32_t* const agents =
      layout_.has_agents()
          ? batch.column<int32_t>(layout_.agent_column()) + int64_t{row} * layout_.most_players()
          : nullptr;
  for (int32_t p = 0; p < present; ++p) {
    const int32_t agent = agents == nullptr ? p : agents[p];
    if (agent >= 0 && agent < layout_.episodes_per_env() - 1) body(p, agent);
  }
}

void Runner::AddPlayerRewards(const BatchRows& batch, int first, const int32_t* envs,
                              const Turn* turns, const Result* results, int count) {
  const size_t column = layout_.player_reward_column();
  const bool is_double = columns()[column].dtype == DType::kFloat64;
  for (int i = 0; i < count; ++i) {
    if (turns[i] != Turn::kStep || results[i].failed) continue;
    const std::span<Episode> episodes = EpisodesOf(envs[i]);
    const int64_t begin = int64_t{first + i} * layout_.most_players();
    ForEachPlayer(batch, first + i, results[i], [&](int32_t p, int32_t agent) {
      episodes[1 + agent].sum += is_double ? batch.column<double>(column)[begin + p]
                                           : batch.column<float>(column)[begin + p];
    });
  }
}

void Runner::AddRewards(const BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                        const Result* results, int count) {
  if (layout_.has_player_rewards()) {
    return AddPlayerRewards(batch, first, envs, turns, results, count);
  }
  Episode* const episodes = envs_.episodes;
  if (!layout_.any_has_true_reward()) {
    for (int i = 0; i < count; ++i) episodes[envs[i]].sum += results[i].outcome.reward;
    return;
  }
  const auto* const reward = batch.column<float>(layout_.true_reward_column()) + first;
  const auto* const last_reward =
      options_.autoreset == Autoreset::kSameStep
          ? batch.column<float>(layout_.end_column(layout_.true_reward_column())) + first
          : reward;
  for (int i = 0; i < count; ++i) {
    if (turns[i] != Turn::kStep || results[i].failed) continue;
    episodes[envs[i]].sum += layout_.has_true_reward(envs[i])
                                 ? (ShowsNext(batch, first + i) ? last_reward : reward)[i]
                                 : results[i].outcome.reward;
  }
}

inline bool Runner::ShowsNext(const BatchRows& batch, int row) const {
  return options_.autoreset == Autoreset::kSameStep &&
         batch.column<bool>(layout_.engine_column(Layout::kFinalObsMask))[row];
}

bool Runner::IsOver(const BatchRows& batch, int row, int32_t env) const {
  if (!layout_.any_has_game_over() || !layout_.has_game_over(env)) return true;
  const size_t own = layout_.game_over_column();
  const bool shows_next = ShowsNext(batch, row);
  // The next life may have begun another game already, although the last step did not end this one.
  if (shows_next && envs_.states[env].elapsed_step == 0) return true;
  const size_t column = shows_next ? layout_.end_column(own) : own;
  return batch.column<int32_t>(column)[row] != 0 ||
         batch.column<bool>(layout_.engine_column(Layout::kTruncated))[row];
}

}  // namespace parallel_pool
