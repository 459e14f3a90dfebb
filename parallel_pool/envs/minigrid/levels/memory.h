// Remember an object, and at the end of a hallway go to the one that is like it.
#pragma once

#include <stdexcept>
#include <string>

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class Memory : public World {
 public:
  struct Config : LevelConfig {
    int32_t size = 7;
    bool random_length = false;
  };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::size>("size", "cells on a side; odd", {.min = 7}),
         Option<&Config::random_length>("random_length", "the hallway has a random length")});
  }
  static Rules RulesFor(const Config& c) {
    if (c.size % 2 == 0) {
      throw std::invalid_argument("size is " + std::to_string(c.size) +
                                  "; it must be odd, such as " + std::to_string(c.size + 1));
    }
    return RulesOf(c, c.size, c.size, 5 * c.size * c.size);
  }

  Memory(const Config& config, Rng& rng)
      : World(RulesFor(config), rng), is_random_(config.random_length) {}

  void Generate() {
    Walls(whole());
    const int middle = height() / 2;
    const int end = is_random_ ? RandInt(4, width() - 2) : width() - 3;  // of the hallway
    // The room with the object, the hallway and the two ends.
    for (const int side : {-1, 1}) {
      HorizontalLine({1, middle + 2 * side}, 4);
      HorizontalLine({4, middle + side}, std::max(end - 4, 1));
    }
    VerticalLine({end, 0}, height());
    Set({end, middle}, kEmpty);
    VerticalLine({end + 2, 0}, height());
    SetAgent({RandInt(1, end + 1), middle}, 0);
    const bool is_key = RandInt(0, 2) == 0, key_is_above = RandInt(0, 2) == 1;
    const auto put = [&](bool key, Point p) {
      Put(New(key ? Kind::kKey : Kind::kBall, Color::kGreen), p);
    };
    put(is_key, {1, middle - 1});
    put(key_is_above, {end + 1, middle - 2});
    put(!key_is_above, {end + 1, middle + 2});
    const int side = is_key == key_is_above ? -1 : 1;
    success_ = {end + 1, middle + side};
    failure_ = {end + 1, middle - side};
    SetMission({"go to the matching object at the end of the hallway"});
  }

  // Nothing can be picked up.
  Outcome Act(int move) {
    const Outcome outcome = World::Act(move == kPickUp ? kToggle : move);
    if (agent() == success_) return Success();
    if (agent() == failure_) return {.terminated = true};
    return outcome;
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(success_, failure_)); }

 private:
  const bool is_random_;
  Point success_, failure_;
};

}  // namespace parallel_pool::minigrid
