// Draws among outcomes with given probabilities, as Gymnasium's toy text envs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "parallel_pool/core/random.h"

namespace parallel_pool::toy_text {

// The index of the first of `probabilities` at which their sum exceeds a random number in [0, 1); 0
// if, by rounding, the sum of all does not exceed it.
template <class Probabilities>
int Categorical(const Probabilities& probabilities, Rng& rng) {
  const double draw = rng.Random();
  double sum = 0.0;
  int i = 0;
  for (const double probability : probabilities) {
    sum += probability;
    if (sum > draw) return i;
    ++i;
  }
  return 0;
}

// The cumulative sums of the probabilities.
template <size_t kSize>
constexpr std::array<double, kSize> SumsOf(std::array<double, kSize> probabilities) {
  for (size_t i = 1; i < kSize; ++i) probabilities[i] += probabilities[i - 1];
  return probabilities;
}

// Categorical() for many outcomes, whose SumsOf are known.
template <size_t kSize>
int CategoricalBySums(const std::array<double, kSize>& sums, Rng& rng) {
  const auto first = std::upper_bound(sums.begin(), sums.end(), rng.Random());
  return first == sums.end() ? 0 : static_cast<int>(first - sums.begin());
}

}  // namespace parallel_pool::toy_text
