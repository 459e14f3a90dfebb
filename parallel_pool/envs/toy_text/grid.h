// Worlds of rows x columns cells, with moves to the next cell, on ice or on firm ground.
#pragma once

#include <algorithm>
#include <array>

#include "parallel_pool/core/random.h"
#include "parallel_pool/envs/toy_text/categorical.h"

namespace parallel_pool::toy_text {

struct Move { int down, right; };

struct Grid {
  int rows, columns;

  constexpr int cells() const { return rows * columns; }
  // The cell after a move from `cell`; at the border it is the same.
  constexpr int After(int cell, Move move) const {
    const int row = std::clamp(cell / columns + move.down, 0, rows - 1);
    const int column = std::clamp(cell % columns + move.right, 0, columns - 1);
    return row * columns + column;
  }
};

// The result of a step in one of four directions, numbered in a circle.
struct Slide {
  int direction;
  double probability;
};

// On ice: the step goes ahead with probability `ahead`, and with `aside` each a quarter turn to
// either side.
inline Slide SlideOnIce(int direction, double ahead, double aside, Rng& rng) {
  const std::array<double, 3> probabilities{aside, ahead, aside};
  const int i = Categorical(probabilities, rng);
  return {(direction + i + 3) % 4, probabilities[i]};
}

// On firm ground: the step always goes ahead. Gymnasium draws a random number here, too.
inline Slide SlideOnGround(int direction, Rng& rng) {
  rng.Random();
  return {direction, 1.0};
}

}  // namespace parallel_pool::toy_text
