// Take the key, open the door with it and walk to the goal.
#pragma once

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class DoorKey : public World {
 public:
  struct Config : LevelConfig { int32_t size = 8; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>({Option<&Config::size>("size", "cells on a side", {.min = 5})});
  }
  static Rules RulesFor(const Config& c) {
    return RulesOf(c, c.size, c.size, 10 * c.size * c.size);
  }

  DoorKey(const Config& config, Rng& rng) : World(RulesFor(config), rng) {}

  void Generate() {
    Walls(whole());
    Set({width() - 2, height() - 2}, kGoal);
    const int wall = RandInt(2, width() - 2);
    const Area left = {{0, 0}, wall, height()};
    VerticalLine({wall, 0}, height());
    PlaceAgent(left);
    Put(New(Kind::kLockedDoor, Color::kYellow), {wall, RandInt(1, width() - 2)});
    Place(New(Kind::kKey, Color::kYellow), left);
    SetMission({"use the key to open the door and then get to the goal"});
  }
};

}  // namespace parallel_pool::minigrid
