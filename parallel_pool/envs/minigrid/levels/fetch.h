// Pick up an object of the color and kind that the mission names; another one ends the episode.
#pragma once

#include "parallel_pool/envs/minigrid/levels/objects.h"
#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class Fetch : public World {
 public:
  static constexpr bool kSeesThroughWalls = true;
  struct Config : LevelConfig { int32_t size = 8, num_objs = 3; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::size>("size", "cells on a side", {.min = 4}),
         Option<&Config::num_objs>("num_objs", "keys and balls", {.min = 1, .max = 100})});
  }
  static Rules RulesFor(const Config& c) { return RulesOf(c, c.size, c.size, 5 * c.size * c.size); }

  Fetch(const Config& config, Rng& rng) : World(RulesFor(config), rng), count_(config.num_objs) {}

  void Generate() {
    Walls(whole());
    List<Cell, 100> objects;
    for (int i = 0; i < count_; ++i) {
      const Kind kind = RandElement(List<Kind, 2>{Kind::kKey, Kind::kBall});
      objects.Add(New(kind, RandColor()));
      Place(objects[i]);
    }
    PlaceAgent();
    target_ = RandElement(objects).look;
    static constexpr std::string_view kOrders[] = {"get a", "go get a", "fetch a", "go fetch a",
                                                   "you must fetch a"};
    const int order = RandInt(0, 5);
    SetMission({kOrders[order], " ", NameOf(ColorOf(target_)), " ", NameOf(KindOf(target_))},
               order * 2 * kColors + NumberOf(target_, 2));
  }

  Outcome Act(int move) {
    const Outcome outcome = World::Act(move);
    if (!is_carrying()) return outcome;
    return carried().look == target_ ? Success() : Outcome{.terminated = true};
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(target_)); }

 private:
  const int count_;
  Look target_ = 0;
};

}  // namespace parallel_pool::minigrid
