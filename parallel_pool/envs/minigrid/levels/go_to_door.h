// Go to the door of the color that the mission names, and say that it is done.
#pragma once

#include <array>

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class GoToDoor : public World {
 public:
  static constexpr bool kSeesThroughWalls = true;
  struct Config : LevelConfig { int32_t size = 5; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::size>("size", "the most cells on a side", {.min = 5})});
  }
  static Rules RulesFor(const Config& c) { return RulesOf(c, c.size, c.size, 4 * c.size * c.size); }

  GoToDoor(const Config& config, Rng& rng) : World(RulesFor(config), rng) {}

  void Generate() {
    const int columns = RandInt(5, width() + 1), rows = RandInt(5, height() + 1);
    const Area room = {{0, 0}, columns, rows};
    Walls(room);
    std::array<Point, 4> places;
    places[0] = {RandInt(2, columns - 2), 0};
    places[1] = {RandInt(2, columns - 2), rows - 1};
    places[2] = {0, RandInt(2, rows - 2)};
    places[3] = {columns - 1, RandInt(2, rows - 2)};
    List<Color, 4> colors;
    while (colors.size() < places.size()) {
      const Color color = RandColor();
      if (!colors.Contains(color)) colors.Add(color);
    }
    for (int i = 0; i < 4; ++i) Put(New(Kind::kClosedDoor, colors[i]), places[i]);
    PlaceAgent(room);
    const int target = RandInt(0, 4);
    target_ = places[target];
    SetMission({"go to the ", NameOf(colors[target]), " door"}, static_cast<int>(colors[target]));
  }

  Outcome Act(int move) {
    const Outcome outcome = World::Act(move);
    if (move == kDone && Distance(agent(), target_) == 1) return Success();
    if (move == kDone || move == kToggle) return {.terminated = true};
    return outcome;
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(target_)); }

 private:
  Point target_;
};

}  // namespace parallel_pool::minigrid
