// Returns and advantages of a rollout: what a learner computes from rewards and values.
//
// Each sum has the order of the formula above its function, without fused products, so that NumPy
// gives the same bits.
#pragma once

#include <cstdint>

namespace parallel_pool {

// `steps` steps of `width` time lines, one for each env. All arrays are of steps x width numbers,
// step by step, if nothing else is said.
template <class T>
struct Transitions {
  int64_t steps, width;
  const T* reward;
  const T* value;       // of the observation in which the step was made
  const T* last_value;  // width: of the observation after the last step
  // Where `truncated`, the value of the episode's last observation; nullptr: the next row has it.
  const T* final_value;
  const bool* terminated;
  const bool* truncated;
  // false: the row is no step of an episode, and its results are 0. nullptr: all are.
  const bool* is_transition;
};

// The value of the observation after a step: V' = 0 if terminated, and if truncated that of the
// episode's last observation. "Ended" below is either of them.

// Generalized advantage estimation (Schulman et al. 2016):
//   advantage[t] = reward + gamma V' - value + (gamma lambda) advantage[t + 1], the last unless
//   ended target = advantage + value
template <class T>
void FindGae(const Transitions<T>& rollout, double gamma, double lambda, T* advantage, T* target);

// Returns of TD(lambda):
//   target[t] = reward + gamma ((1 - lambda) V' + lambda target[t + 1]), or V' alone if ended
template <class T>
void FindLambdaReturns(const Transitions<T>& rollout, double gamma, double lambda, T* target);

// Returns of up to n steps. With m steps to the episode's end or the rollout's, m <= n:
//   target[t] = reward[t] + gamma reward[t + 1] + ... + gamma^m V'[t + m - 1], summed in this order
template <class T>
void FindNStepReturns(const Transitions<T>& rollout, int64_t n, double gamma, T* target);

// V-trace (Espeholt et al. 2018). `ratio` is how much more probable the action is to the learner
// than to the policy that took it.
//   rho = min(clip_rho, ratio), c = lambda min(clip_c, ratio)
//   error[t] = rho (reward + gamma V' - value) + gamma c error[t + 1], the last unless ended
//   target = value + error
//   advantage[t] = rho (reward + gamma target[t + 1] - value), with V' in place of target if ended
template <class T>
void FindVtrace(const Transitions<T>& rollout, const T* ratio, double gamma, double lambda,
                double clip_rho, double clip_c, T* target, T* advantage);

}  // namespace parallel_pool
