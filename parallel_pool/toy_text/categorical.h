// A draw among outcomes with given probabilities, as Gymnasium's toy text envs do it.
#pragma once

#include "parallel_pool/core/random.h"

namespace parallel_pool::toy_text {

// The first of `probabilities` at which their sum exceeds a random number in [0, 1); the very first
// one if rounding leaves the sum of all at or below it.
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

}  // namespace parallel_pool::toy_text
