// Options for the place where the agent begins.
#pragma once

#include <stdexcept>
#include <string>

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

struct StartConfig : LevelConfig {
  Numbers<2> agent_start_pos = {1, 1};
  int32_t agent_start_dir = 0;

  static Options<StartConfig> Describe() {
    return {Option<&StartConfig::agent_start_pos>(
                "agent_start_pos", "where the agent begins, (x, y); (-1, -1): anywhere"),
            Option<&StartConfig::agent_start_dir>(
                "agent_start_dir", "0 right, 1 down, 2 left, 3 up; a random place has a random one",
                {.min = -1, .max = 3})};
  }
};

inline constexpr Numbers<2> kAnywhere = {-1, -1};

// `options` after those of all levels and those of the start.
template <class Config>
Options<Config> DescribeStart(Options<Config> options) {
  for (const auto& option : StartConfig::Describe()) options.push_back(option);
  return DescribeLevel<Config>(options);
}

// Throws std::invalid_argument if the agent cannot begin there. Returns `rules`.
inline Rules CheckStart(const StartConfig& config, const Rules& rules) {
  const auto [x, y] = config.agent_start_pos;
  const bool is_inside = x >= 1 && y >= 1 && x <= rules.width - 2 && y <= rules.height - 2;
  if (config.agent_start_pos != kAnywhere &&
      (!is_inside || x != static_cast<int>(x) || y != static_cast<int>(y))) {
    throw std::invalid_argument("agent_start_pos is (" + std::to_string(x) + ", " +
                                std::to_string(y) + "); it must be two integers from (1, 1) to (" +
                                std::to_string(rules.width - 2) + ", " +
                                std::to_string(rules.height - 2) + "), or (-1, -1) for any place");
  }
  if (config.agent_start_pos != kAnywhere && config.agent_start_dir < 0) {
    throw std::invalid_argument(
        "agent_start_dir is -1; with a fixed agent_start_pos it must be 0, "
        "1, 2 or 3");
  }
  return rules;
}

// Whether the agent always begins at the same place, in the same direction.
inline bool IsFixed(const StartConfig& config) {
  return config.agent_start_pos != kAnywhere;
}

inline void PlaceAtStart(const StartConfig& config, World& world) {
  if (config.agent_start_pos == kAnywhere) {
    world.PlaceAgent();
  } else {
    const auto [x, y] = config.agent_start_pos;
    world.SetAgent({static_cast<int>(x), static_cast<int>(y)}, config.agent_start_dir);
  }
}

}  // namespace parallel_pool::minigrid
