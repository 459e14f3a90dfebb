// The common parts of SimpleTag and SimpleWorldComm: prey that must stay on the field.
#pragma once

#include <algorithm>
#include <cmath>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mpe/world.h"

namespace parallel_pool::mpe {

// The penalty of a coordinate: 0 inside of the field, which ends at 1; at most 10.
inline double OutsideOf(double coordinate) {
  const double x = std::abs(coordinate);
  if (x < 0.9) return 0;
  if (x < 1.0) return (x - 0.9) * 10;
  return std::min(NumpyArithmetic().exp(2 * x - 2), 10.0);
}

// The number of agents of `some` that touch `agent`.
inline int CountTouches(std::span<const Entity> some, const Entity& agent) {
  return static_cast<int>(
      std::ranges::count_if(some, [&](const Entity& other) { return Touches(other, agent); }));
}

// The number of pairs of an agent of `some` and one of `others` that touch.
inline int CountTouches(std::span<const Entity> some, std::span<const Entity> others) {
  int touches = 0;
  for (const Entity& other : others) touches += CountTouches(some, other);
  return touches;
}

}  // namespace parallel_pool::mpe
