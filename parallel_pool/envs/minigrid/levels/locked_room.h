// Take the key from one room, open the locked room with it and walk to the goal inside.
#pragma once

#include <array>

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class LockedRoom : public World {
 public:
  struct Config : LevelConfig { int32_t size = 19; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>({Option<&Config::size>(
        "size", "cells on a side; best 3 n + 1, so that all rooms are inside", {.min = 12})});
  }
  static Rules RulesFor(const Config& c) { return RulesOf(c, c.size, c.size, 10 * c.size); }

  LockedRoom(const Config& config, Rng& rng) : World(RulesFor(config), rng) {}

  // Three rooms on each side of a hallway.
  void Generate() {
    const int left = width() / 2 - 2, right = width() / 2 + 2;  // the walls of the hallway
    Walls(whole());
    VerticalLine({left, 0}, height());
    VerticalLine({right, 0}, height());
    struct Room {
      Area area;
      Point door;
    };
    std::array<Room, 6> rooms;
    for (int n = 0; n < 3; ++n) {
      const int y = n * (height() / 3);
      HorizontalLine({0, y}, left);
      HorizontalLine({right, y}, width() - right);
      const int columns = left + 1, rows = height() / 3 + 1;
      rooms[2 * n] = {{{0, y}, columns, rows}, {left, y + 3}};
      rooms[2 * n + 1] = {{{right, y}, columns, rows}, {right, y + 3}};
    }
    const int locked = RandInt(0, 6);
    Set(RandPlace(rooms[locked].area), kGoal);
    List<Color, kColors> left_over;
    for (const Color color : kDrawnColors) left_over.Add(color);
    std::array<Color, 6> colors;
    for (int i = 0; i < 6; ++i) {
      const int k = RandInt(0, static_cast<int>(left_over.size()));
      colors[i] = left_over[k];
      left_over.Remove(k);
      Put(New(i == locked ? Kind::kLockedDoor : Kind::kClosedDoor, colors[i]), rooms[i].door);
    }
    int with_key = RandInt(0, 6);
    while (with_key == locked) with_key = RandInt(0, 6);
    Put(New(Kind::kKey, colors[locked]), RandPlace(rooms[with_key].area));
    PlaceAgent({{left, 0}, right - left, height()});
    SetMission({"get the ", NameOf(colors[locked]), " key from the ", NameOf(colors[with_key]),
                " room, unlock the ", NameOf(colors[locked]), " door and go to the goal"},
               static_cast<int>(colors[locked]) * kColors + static_cast<int>(colors[with_key]));
  }
};

}  // namespace parallel_pool::minigrid
