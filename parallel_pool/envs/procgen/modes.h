// The modes of the games: how levels are made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/options.h"

namespace parallel_pool::procgen {

struct GameInfo {
  const char* name;
  std::vector<std::string> modes = {};  // in addition to easy and hard
  int32_t exploration_level = 0;        // the one level of the mode exploration
};

std::span<const GameInfo> AllGames();

struct Mode {
  const char* name;
  int number;  // EnvPool's, and but for exploration the library's
};

// The mode that the option distribution_mode of a game names, by its name or number. Throws
// std::invalid_argument if the game has no such mode.
const Mode& FindMode(const GameInfo& game, const IntOrString& distribution_mode);

inline constexpr int kExploration = 20;

}  // namespace parallel_pool::procgen
