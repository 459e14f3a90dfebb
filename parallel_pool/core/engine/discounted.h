// Discounted returns of running episodes, as gymnasium.wrappers.vector.NormalizeReward keeps them,
// but each episode begins with a return of 0.
#pragma once

#include <cstdint>

namespace parallel_pool {

// Columns of a batch, by row. T: the dtype of rewards, float or double.
template <class T>
struct RewardRows {
  int64_t n;
  const T* reward;
  const int32_t* env_id;
  const int32_t* step_type;  // BatchLayout::kFirst: a reset, no step
  const bool* terminated;
  const bool* truncated;
};

// Adds the reward of each row to `sums`, by env, times `gamma`; an episode's end and a reset leave
// 0 there. `counted`, with room for all rows, gets the returns of those that are steps, in their
// order. Returns how many these are.
template <class T>
int64_t AddRewards(const RewardRows<T>& rows, float gamma, float* sums, float* counted);

}  // namespace parallel_pool
