// Put one object next to another; the mission names both.
#pragma once

#include "parallel_pool/envs/minigrid/levels/objects.h"
#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class PutNear : public World {
 public:
  static constexpr bool kSeesThroughWalls = true;
  struct Config : LevelConfig { int32_t size = 6, num_objs = 2; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::size>("size", "cells on a side", {.min = 5}),
         Option<&Config::num_objs>("num_objs", "objects, each of another look",
                                   {.min = 2, .max = kDistinctLooks})});
  }
  static Rules RulesFor(const Config& c) { return RulesOf(c, c.size, c.size, 5 * c.size); }

  PutNear(const Config& config, Rng& rng) : World(RulesFor(config), rng), count_(config.num_objs) {}

  void Generate() {
    Walls(whole());
    const Objects objects = PlaceDistinct(*this, count_, /*are_apart=*/true);
    PlaceAgent();
    const int moved = RandInt(0, count_);
    int target = RandInt(0, count_);
    while (target == moved) target = RandInt(0, count_);
    moved_ = objects[moved].look;
    target_ = PlaceOf(objects[target]);
    SetMission({"put the ", NameOf(ColorOf(moved_)), " ", NameOf(KindOf(moved_)), " near the ",
                NameOf(objects[target].color()), " ", NameOf(objects[target].kind())},
               NumberOf(moved_) * kDistinctLooks + NumberOf(objects[target].look));
  }

  Outcome Act(int move) {
    const Cell before = carried();
    Outcome outcome = World::Act(move);
    if (move == kPickUp && is_carrying() && carried().look != moved_) outcome.terminated = true;
    if (move == kDrop && !before.is_empty()) {
      const bool is_dropped = !is_carrying();
      if (is_dropped && AreNear(front(), target_)) outcome.reward = Reward();
      outcome.terminated = true;
    }
    return outcome;
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(moved_, target_)); }

 private:
  const int count_;
  Look moved_ = 0;
  Point target_;
};

}  // namespace parallel_pool::minigrid
