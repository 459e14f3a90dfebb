// Walk to the goal past two strips of lava. The second strip is in another row in DistShift2, for
// tests of how an agent takes a shift in distribution.
#pragma once

#include "parallel_pool/envs/minigrid/levels/start.h"

namespace parallel_pool::minigrid {

class DistShift : public World {
 public:
  static constexpr bool kSeesThroughWalls = true;
  struct Config : StartConfig { int32_t width = 9, height = 7, strip2_row = 2; };
  static Options<Config> Describe() {
    return DescribeStart<Config>(
        {Option<&Config::width>("width", "cells of a row", {.min = 7}),
         Option<&Config::height>("height", "cells of a column", {.min = 5}),
         Option<&Config::strip2_row>("strip2_row", "row of the second strip", {.min = 1})});
  }
  static Rules RulesFor(const Config& c) {
    if (c.strip2_row > c.height - 2) {
      throw std::invalid_argument("strip2_row is " + std::to_string(c.strip2_row) +
                                  "; with height " + std::to_string(c.height) +
                                  " it must be at most " + std::to_string(c.height - 2));
    }
    return CheckStart(c, RulesOf(c, c.width, c.height, 4 * c.width * c.height));
  }

  static bool IsDeterministic(const Config& c) { return IsFixed(c); }

  DistShift(const Config& config, Rng& rng) : World(RulesFor(config), rng), config_(config) {}

  void Generate() {
    Walls(whole());
    Set({width() - 2, 1}, kGoal);
    const int strip = width() - 6;
    HorizontalLine({3, 1}, strip, kLava);
    HorizontalLine({3, config_.strip2_row}, strip, kLava);
    PlaceAtStart(config_, *this);
    SetMission({"get to the green goal square"});
  }

 private:
  const Config config_;
};

}  // namespace parallel_pool::minigrid
