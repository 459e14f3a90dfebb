// The statistics of episodes: their returns and lengths.
//
// Nearly all rows are in the middle of an episode. They cost one addition; only the others, which
// begin or end one, are looked at.
#include <cstring>
#include <span>
#include <utility>

#include "parallel_pool/core/engine/runner.h"

namespace parallel_pool {

void Runner::WriteEpisodes(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                           const Result* results, int count) {
  if (envs_.episodes == nullptr) return;
  auto* const sum = batch.column<double>(layout_.episode_column(Layout::kEpisodeReturn)) + first;
  auto* const steps = batch.column<int32_t>(layout_.episode_column(Layout::kEpisodeLength)) + first;
  auto* const mask = batch.column<bool>(layout_.episode_column(Layout::kEpisodeMask)) + first;
  std::memset(sum, 0, count * sizeof *sum);
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
    Episode& episode = envs_.episodes[envs[i]];
    const int32_t open_steps = std::exchange(episode.open_steps, 0);
    if (!results[i].new_world) continue;
    episode.begun_at = 0;
    const double unseen = std::exchange(episode.sum, 0.0);
    if (turns[i] == Turn::kReset || open_steps == 0) continue;
    // The game was to go on with the next life. It has ended in between, and another one has begun.
    sum[i] = unseen;
    steps[i] = open_steps;
    mask[i] = true;
  }
  const int32_t* const elapsed_step =
      batch.column<int32_t>(layout_.engine_column(options_.autoreset == Autoreset::kSameStep
                                                      ? Layout::kFinalElapsedStep
                                                      : Layout::kElapsedStep)) +
      first;
  for (const int i : std::span(ended, num_ended)) {
    Episode& episode = envs_.episodes[envs[i]];
    const int32_t length = elapsed_step[i] - episode.begun_at;
    if (!IsOver(batch, first + i, envs[i])) {
      episode.open_steps = length;
      continue;
    }
    sum[i] = episode.sum;
    steps[i] = length;
    mask[i] = true;
    episode = {.sum = 0.0, .begun_at = envs_.states[envs[i]].elapsed_step};
  }
}

void Runner::AddRewards(const BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                        const Result* results, int count) {
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
