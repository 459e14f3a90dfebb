// Walk to the goal through the gap in a strip of lava, or of wall.
#pragma once

#include "parallel_pool/envs/minigrid/levels/obstacle.h"

namespace parallel_pool::minigrid {

class LavaGap : public World {
 public:
  struct Config : LevelConfig {
    int32_t size = 7;
    std::string obstacle_type = "lava";
  };
  static Options<Config> Describe() {
    return DescribeLevel<Config>({Option<&Config::size>("size", "cells on a side", {.min = 5}),
                                  Option<&Config::obstacle_type>(
                                      "obstacle_type", "what the strip is of", OneOf(kObstacles))});
  }
  static Rules RulesFor(const Config& c) { return RulesOf(c, c.size, c.size, 4 * c.size * c.size); }

  LavaGap(const Config& config, Rng& rng)
      : World(RulesFor(config), rng), is_lava_(IsLava(config.obstacle_type)) {}

  void Generate() {
    Walls(whole());
    SetAgent({1, 1}, 0);
    Set({width() - 2, height() - 2}, kGoal);
    const int x = RandInt(2, width() - 2);
    const Point gap = {x, RandInt(1, height() - 1)};
    VerticalLine({x, 1}, height() - 2, is_lava_ ? kLava : kWall);
    Set(gap, kEmpty);
    SetObstacleMission(*this, is_lava_);
  }

 private:
  const bool is_lava_;
};

}  // namespace parallel_pool::minigrid
