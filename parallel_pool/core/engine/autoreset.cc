// The ends of episodes: which turn of an env comes next, and the rows of Autoreset::kSameStep.
#include <algorithm>
#include <utility>

#include "parallel_pool/core/engine/runner.h"

namespace parallel_pool {

inline bool Runner::AdvanceEpisode(EnvState& state, Turn turn, const Result& result) {
  if (turn == Turn::kObserveOnly) return false;
  bool truncated = result.failed;
  if (turn == Turn::kStep) {
    truncated |= (++state.elapsed_step >= state.max_steps) | result.outcome.truncated;
  } else {
    state.begun = !result.failed;
    if (result.new_world) state.elapsed_step = 0;
    if (state.next_max_steps > 0 && (result.new_world || result.failed)) [[unlikely]] {
      state.max_steps = std::exchange(state.next_max_steps, 0);
    }
  }
  const bool over = result.outcome.terminated && !result.outcome.episode_continues;
  state.next = truncated ? Turn::kReset : over ? Turn::kContinue : Turn::kStep;
  return truncated;
}

void Runner::WriteTimes(BatchRows& batch, int first, const int32_t* envs, const Turn* turns,
                        const Result* results, int count) {
  auto* truncated = batch.column<bool>(layout_.engine_column(Layout::kTruncated)) + first;
  auto* step_type = batch.column<int32_t>(layout_.engine_column(Layout::kStepType)) + first;
  auto* elapsed_step = batch.column<int32_t>(layout_.engine_column(Layout::kElapsedStep)) + first;
  EnvState* const states = envs_.states;  // a local pointer: stores of int32_t may alias members
  for (int i = 0; i < count; ++i) {
    const Turn turn = turns[i];
    EnvState& state = states[envs[i]];
    truncated[i] = AdvanceEpisode(state, turn, results[i]) && turn == Turn::kStep;
    const bool begins = turn == Turn::kReset || turn == Turn::kContinue;
    step_type[i] = begins                      ? Layout::kFirst
                   : state.next != Turn::kStep ? Layout::kLast
                                               : Layout::kMid;
    elapsed_step[i] = state.elapsed_step;
  }
  std::copy_n(envs, count, batch.column<int32_t>(layout_.engine_column(Layout::kEnvId)) + first);
}

bool Runner::HasEnded(int32_t env, Turn turn, const Result& result) const {
  return turn == Turn::kStep && envs_.states[env].next != Turn::kStep && !result.failed;
}

void Runner::WriteFinalColumns(BatchRows& batch, int row, int32_t env, bool ended, Result* result) {
  const size_t copies = layout_.engine_column(Layout::kFinalState);
  if (!ended) return ZeroEnd(batch, row);
  group().Observe(&env, 1, batch.columns() + copies, row, result);
  if (options_.time_aware) WriteElapsed(batch, copies + obs_column_, row, env);
  batch.column<bool>(layout_.engine_column(Layout::kFinalObsMask))[row] = true;
  batch.column<bool>(layout_.engine_column(Layout::kFinalInfoMask))[row] = true;
  batch.column<int32_t>(layout_.engine_column(Layout::kFinalElapsedStep))[row] =
      envs_.states[env].elapsed_step;
}

void Runner::ZeroEnd(BatchRows& batch, int row) const {
  batch.column<bool>(layout_.engine_column(Layout::kFinalObsMask))[row] = false;
  batch.column<bool>(layout_.engine_column(Layout::kFinalInfoMask))[row] = false;
  batch.column<int32_t>(layout_.engine_column(Layout::kFinalElapsedStep))[row] = 0;
  ZeroRow(batch, layout_.engine_column(Layout::kFinalState), row);
}

void Runner::ResetEnded(RunMemory& memory, int count) {
  auto& [envs, turns, results] = memory.chunk;
  auto& [next, ended] = memory.more;
  int num_ended = 0;
  for (int i = 0; i < count; ++i) {
    if (!HasEnded(envs[i], turns[i], results[i])) continue;
    next.envs[num_ended] = envs[i];
    next.turns[num_ended] = envs_.states[envs[i]].next;
    ended[num_ended++] = i;
  }
  if (num_ended == 0) return;
  group().Step(next.envs, next.turns, num_ended, envs_.actions, next.results);
  for (int k = 0; k < num_ended; ++k) {
    results[ended[k]].failed = next.results[k].failed;
    AdvanceEpisode(envs_.states[next.envs[k]], next.turns[k], next.results[k]);
  }
}

}  // namespace parallel_pool
