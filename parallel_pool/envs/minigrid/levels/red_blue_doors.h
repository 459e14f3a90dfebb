// Open the red door, then the blue one.
#pragma once

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class RedBlueDoors : public World {
 public:
  struct Config : LevelConfig { int32_t size = 8; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>({Option<&Config::size>(
        "size", "cells on a side of the room between the doors", {.min = 4})});
  }
  static Rules RulesFor(const Config& c) {
    return RulesOf(c, 2 * c.size, c.size, 20 * c.size * c.size);
  }

  RedBlueDoors(const Config& config, Rng& rng) : World(RulesFor(config), rng) {}

  void Generate() {
    const int size = height();
    const Area room = {{size / 2, 0}, size, size};
    Walls(whole());
    Walls(room);
    PlaceAgent(room);
    red_ = {size / 2, RandInt(1, size - 1)};
    Put(New(Kind::kClosedDoor, Color::kRed), red_);
    blue_ = {size / 2 + size - 1, RandInt(1, size - 1)};
    Put(New(Kind::kClosedDoor, Color::kBlue), blue_);
    SetMission({"open the red door then the blue door"});
  }

  Outcome Act(int move) {
    const bool red_was_open = IsOpen(red_);
    const Outcome outcome = World::Act(move);
    if (!IsOpen(blue_)) return outcome;
    return red_was_open ? Success() : Outcome{.terminated = true};
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(red_, blue_)); }

 private:
  bool IsOpen(Point door) const { return At(door).kind() == Kind::kOpenDoor; }

  Point red_, blue_;
};

}  // namespace parallel_pool::minigrid
