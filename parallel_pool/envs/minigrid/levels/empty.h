// Walk to the goal in a room without obstacles.
#pragma once

#include "parallel_pool/envs/minigrid/levels/start.h"

namespace parallel_pool::minigrid {

class Empty : public World {
 public:
  static constexpr bool kSeesThroughWalls = true;
  struct Config : StartConfig { int32_t size = 8; };
  static Options<Config> Describe() {
    return DescribeStart<Config>({Option<&Config::size>("size", "cells on a side", {.min = 4})});
  }
  static Rules RulesFor(const Config& c) {
    return CheckStart(c, RulesOf(c, c.size, c.size, 4 * c.size * c.size));
  }

  static bool IsDeterministic(const Config& c) { return IsFixed(c); }

  Empty(const Config& config, Rng& rng) : World(RulesFor(config), rng), config_(config) {}

  void Generate() {
    Walls(whole());
    Set({width() - 2, height() - 2}, kGoal);
    PlaceAtStart(config_, *this);
    SetMission({"get to the green goal square"});
  }

 private:
  const Config config_;
};

}  // namespace parallel_pool::minigrid
