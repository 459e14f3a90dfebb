// Obstacles of lava or of wall.
#pragma once

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

inline constexpr const char* kObstacles[] = {"lava", "wall"};

inline bool IsLava(const std::string& obstacle) {
  return obstacle == "lava";
}

inline void SetObstacleMission(World& world, bool is_lava) {
  world.SetMission(
      {is_lava ? "avoid the lava" : "find the opening", " and get to the green goal square"});
}

}  // namespace parallel_pool::minigrid
