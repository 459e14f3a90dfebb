// The options of all levels.
#pragma once

#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/minigrid/world.h"

namespace parallel_pool::minigrid {

inline constexpr const char* kObsTypes[] = {"partial", "full", "one_hot", "rgb", "rgb_partial"};

struct LevelConfig {
  std::string obs_type = "partial";
  int32_t agent_view_size = 7;
  bool see_through_walls = false;
  int32_t max_steps = 0;
  bool mission = true;
  int32_t obs_tile_size = 8;
  int32_t tile_size = 32;
  bool highlight = true;
  bool agent_pov = false;

  static Options<LevelConfig> Describe();
};

// The options of all levels, then those of one.
template <class Config>
Options<Config> DescribeLevel(Options<Config> own = {}) {
  Options<Config> options;
  for (const auto& option : LevelConfig::Describe()) options.push_back(option);
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

inline constexpr int kLargestGrid = 64;  // cells on a side

// The rules of a level with these options. `max_steps` are the level's own, if the user gives none.
// Throws std::invalid_argument if an option does not fit.
Rules RulesOf(const LevelConfig& config, int width, int height, int max_steps);

}  // namespace parallel_pool::minigrid
