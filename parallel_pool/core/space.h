// Spaces: the allowed values of an env's arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

// The allowed values of one env's array. `low` and `high` are one number for all elements or one
// for each.
struct Space {
  SpaceKind kind;
  std::vector<int32_t> shape;
  std::vector<double> low, high;
  int32_t players = 0;  // 0: the array is the env's as a whole; else the most players of an env
  std::string meanings = {};  // of a Discrete: a name for each value, joined by '\n'; empty: none
};

inline Space Box(std::vector<int32_t> shape, std::vector<double> low, std::vector<double> high) {
  return {SpaceKind::kBox, std::move(shape), std::move(low), std::move(high)};
}

// A space of one integer in start .. start + n - 1.
inline Space Discrete(int n, int start = 0) {
  return {SpaceKind::kDiscrete, {}, {static_cast<double>(start)}, {start + (n - 1.0)}};
}

// The same with a name for each value: Discrete({"LEFT", "RIGHT"}) is Discrete(2), and 0 is LEFT.
// Names of actions are ALE's where ALE has one (NOOP, FIRE, UP, UPRIGHT, ...); others are in upper
// case, too. `python -m parallel_pool play` finds keys by them.
inline Space Discrete(const std::vector<std::string>& meanings) {
  Space space = Discrete(static_cast<int>(meanings.size()));
  for (const std::string& name : meanings) {
    if (&name != &meanings.front()) space.meanings += '\n';
    space.meanings += name;
  }
  return space;
}

// `n` elements of int8, each 0 or 1.
inline Space MultiBinary(int n) {
  return {SpaceKind::kMultiBinary, {n}, {0}, {1}};
}

// An integer in 0 .. sizes[i] - 1 for each element i.
inline Space MultiDiscrete(const std::vector<int>& sizes) {
  Space space = {SpaceKind::kMultiDiscrete, {static_cast<int32_t>(sizes.size())}, {0}, {}};
  for (const int size : sizes) space.high.push_back(size - 1.0);
  return space;
}

// At most `size` ASCII characters, in uint8; zeros follow the last one. A single env's user gets a
// str, a pool's the bytes.
inline Space Text(int size) {
  return {SpaceKind::kText, {size}, {0}, {127}};
}

inline constexpr int32_t kMostPlayers = 1 << 16;

// PerPlayer(4, Box({2}, {0}, {1})): up to 4 players, 2 numbers each. The View holds 8, player p's
// from 2 * p on. All such arrays of an env have the same number of players. A row has room for all
// players, so each worker knows where its row is, and a step allocates nothing.
inline Space PerPlayer(int32_t players, Space space) {
  if (players < 1 || players > kMostPlayers) {
    throw std::invalid_argument("PerPlayer(" + std::to_string(players) +
                                ", ...): an env has 1 to " + std::to_string(kMostPlayers) +
                                " players");
  }
  space.players = players;
  return space;
}

// A player of an env, for EnvSpec::players.
//   Player{"speaker_0", "speaker", {{"obs", Box({3}, {-kInf}, {kInf})}, {"action", Discrete(3)}}}
struct Player {
  // The player's own space of an array that is PerPlayer. Its shape has as many axes and is not
  // larger: the player's data are at the beginning of each axis, and zeros follow.
  struct Own {
    std::string array;  // "obs"
    Space space;
  };

  std::string name;           // "speaker_0"
  std::string role;           // "speaker": players with one role are alike
  std::vector<Own> own = {};  // other arrays have the common space
};

}  // namespace parallel_pool
