// Go to the object that the mission names, and say that it is done.
#pragma once

#include "parallel_pool/envs/minigrid/levels/objects.h"
#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class GoToObject : public World {
 public:
  static constexpr bool kSeesThroughWalls = true;
  struct Config : LevelConfig { int32_t size = 6, num_objs = 2; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::size>("size", "cells on a side", {.min = 5}),
         Option<&Config::num_objs>("num_objs", "objects, each of another look",
                                   {.min = 1, .max = kDistinctLooks})});
  }
  static Rules RulesFor(const Config& c) { return RulesOf(c, c.size, c.size, 5 * c.size * c.size); }

  GoToObject(const Config& config, Rng& rng)
      : World(RulesFor(config), rng), count_(config.num_objs) {}

  void Generate() {
    Walls(whole());
    const Objects objects = PlaceDistinct(*this, count_);
    PlaceAgent();
    const Cell target = RandElement(objects);
    target_ = PlaceOf(target);
    SetMission({"go to the ", NameOf(target.color()), " ", NameOf(target.kind())},
               NumberOf(target.look));
  }

  Outcome Act(int move) {
    const Outcome outcome = World::Act(move);
    if (move == kDone && Distance(agent(), target_) == 1) return Success();
    if (move == kDone || move == kToggle) return {.terminated = true};
    return outcome;
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(target_)); }

 private:
  const int count_;
  Point target_;  // where it was in the beginning
};

}  // namespace parallel_pool::minigrid
