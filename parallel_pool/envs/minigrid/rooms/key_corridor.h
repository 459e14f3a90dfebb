// Find the key in the rooms on the left of a corridor, and with it open the locked room on the
// right and pick up the object there.
#pragma once

#include <string>

#include "parallel_pool/envs/minigrid/rooms/pick_up.h"

namespace parallel_pool::minigrid {

inline constexpr const char* kObjectKinds[] = {"ball", "box", "key"};

inline Kind KindNamed(const std::string& name) {
  return name == "ball" ? Kind::kBall : name == "box" ? Kind::kBox : Kind::kKey;
}

class KeyCorridor : public PickUpLevel {
 public:
  struct Config : LevelConfig {
    int32_t num_rows = 3, num_cols = 3, room_size = 6;
    std::string obj_type = "ball";
  };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::num_rows>("num_rows", "rooms in a column", {.min = 1, .max = 8}),
         Option<&Config::num_cols>("num_cols", "rooms in a row", {.min = 3, .max = 8}),
         Option<&Config::room_size>("room_size", "cells of a room on a side, with its walls",
                                    {.min = 3}),
         Option<&Config::obj_type>("obj_type", "what is to be picked up", OneOf(kObjectKinds))});
  }
  static Rooms RoomsOf(const Config& c) { return {c.room_size, c.num_rows, c.num_cols}; }
  static Rules RulesFor(const Config& c) {
    return RoomsOf(c).RulesWith(c, 30 * c.room_size * c.room_size);
  }

  KeyCorridor(const Config& config, Rng& rng)
      : PickUpLevel(config, RoomsOf(config), RulesFor(config).max_steps, rng),
        kind_(KindNamed(config.obj_type)) {}

  void Generate() {
    BuildRooms();
    for (int row = 1; row < rooms().rows; ++row) RemoveWall({1, row}, 3);
    const RoomAt locked = {2, RandInt(0, rooms().rows)};
    const Cell door = AddDoor(locked, 2, {}, true);
    const Cell object = AddObject(locked, kind_);
    AddObject({0, RandInt(0, rooms().rows)}, Kind::kKey, door.color());
    PlaceAgentIn({1, rooms().rows / 2});
    ConnectAll();
    SetTarget(object, static_cast<int>(object.color()));
  }

 private:
  const Kind kind_;
};

}  // namespace parallel_pool::minigrid
