// The statistics of episodes: their returns and lengths.
#include "parallel_pool/core/engine/pool.h"

namespace parallel_pool {

// Adds a step to each env's episode, and writes the episodes that have ended. Comes last, because
// it reads what the task has observed.
void Pool::WriteEpisodes(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                         const Result* results, int count) {
  if (episodes_.empty()) return;
  auto* const sum = batch.column<double>(episode_column(kEpisodeReturn)) + first;
  auto* const steps = batch.column<int32_t>(episode_column(kEpisodeLength)) + first;
  auto* const mask = batch.column<bool>(episode_column(kEpisodeMask)) + first;
  const bool* const ends_here = options_.autoreset == Autoreset::kSameStep
                                    ? batch.column<bool>(engine_column(kFinalObsMask)) + first
                                    : nullptr;
  for (int i = 0; i < count; ++i) {
    Episode& episode = episodes_[envs[i]];
    bool over = false;
    if (turns[i] == Turn::kStep && !results[i].failed) {
      // Autoreset in the same step: the row shows the next episode, and the end in its copies.
      const bool shows_next = ends_here != nullptr && ends_here[i];
      episode.sum += TrueReward(batch, first + i, results[i], shows_next);
      ++episode.steps;
      over = (shows_next || envs_[envs[i]].next != Turn::kStep) &&
             IsOver(batch, first + i, shows_next);
    } else if (turns[i] == Turn::kReset) {
      episode = {};
    }
    sum[i] = over ? episode.sum : 0.0;
    steps[i] = over ? episode.steps : 0;
    mask[i] = over;
    if (over) episode = {};
  }
}

// The reward of a step before any clipping. `shows_next`: the row shows the next episode.
inline double Pool::TrueReward(const Batch& batch, int row, const Result& result,
                               bool shows_next) const {
  if (true_reward_column_ == num_state_columns_) return result.outcome.reward;
  const size_t copies = shows_next ? engine_column(kFinalState) : 0;
  return batch.column<float>(copies + true_reward_column_)[row];
}

// Whether a step that ended an episode for the learner has also ended the game.
inline bool Pool::IsOver(const Batch& batch, int row, bool shows_next) const {
  if (game_over_column_ == num_state_columns_) return true;
  const size_t copies = shows_next ? engine_column(kFinalState) : 0;
  return batch.column<int32_t>(copies + game_over_column_)[row] != 0 ||
         batch.column<bool>(engine_column(kTruncated))[row];
}

}  // namespace parallel_pool
