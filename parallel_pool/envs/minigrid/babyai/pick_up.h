// BabyAI's levels to pick up an object.
#pragma once

#include "parallel_pool/envs/minigrid/babyai/go_to.h"
#include "parallel_pool/envs/minigrid/rooms/key_corridor.h"

namespace parallel_pool::minigrid::babyai {

// In a maze of rooms.
class Pickup : public LevelWith<RoomsConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomSizeAndNumber<Config>(1)); }

  void Generate() {
    GenerateWith([&] {
      PlaceAgentAnywhere();
      ConnectAll();
      const Added objects = AddDistractors(18, false);
      RejectUnlessReachable();
      return PickUp(Like(RandElement(objects)));
    });
  }
};

// At least one object blocks the way to another one.
class UnblockPickup : public LevelWith<RoomsConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomSizeAndNumber<Config>(1)); }

  void Generate() {
    GenerateWith([&] {
      PlaceAgentAnywhere();
      ConnectAll();
      const Added objects = AddDistractors(20, false);
      if (CanReachAll()) throw Rejected("nothing blocks the way");
      return PickUp(Like(RandElement(objects)));
    });
  }
};

struct PickupDistConfig : RoomsConfig {
  bool debug = false;

  Rooms rooms() const { return {7, 1, 1}; }
};

// The mission names the kind, the color or both.
class PickupDist : public LevelWith<PickupDistConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    return DescribeOwn<Config>(
        {}, {Option<&Config::debug>("debug", "picking up anything else ends the episode")});
  }

  void Generate() {
    GenerateWith([&] {
      const Added objects = AddDistractors(5);
      PlaceAgentIn({0, 0});
      ObjectDescription what = Like(RandElement(objects));
      const int named = RandInt(0, 3);  // the kind, the color, both
      if (named == 0) what.color = {};
      if (named == 1) what.kind = ObjectDescription::kAny;
      return PickUp(what, config_.debug);
    });
  }
};

struct PickupAboveConfig : RoomsConfig {
  Rooms rooms() const { return {6, num_rows, num_cols}; }
  int steps() const { return 8 * 6 * 6; }
};

// In the room above the agent's.
class PickupAbove : public LevelWith<PickupAboveConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomNumber<Config>()); }

  void Generate() {
    GenerateWith([&] {
      const Cell object = AddObject({1, 0});
      AddDoor(kMiddle, 3, {}, false);
      PlaceAgentIn(kMiddle);
      ConnectAll();
      return PickUp(Like(object));
    });
  }
};

struct FindObjConfig : RoomsConfig {
  FindObjConfig() { room_size = 5; }
  int steps() const { return 20 * room_size * room_size; }
};

// The reference's FindObjS5: one object in nine rooms.
class FindObj : public LevelWith<FindObjConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomSize<Config>()); }

  void Generate() {
    GenerateWith([&] {
      const Cell object = AddObject(RandRoom());
      PlaceAgentIn(kMiddle);
      ConnectAll();
      return PickUp(OfKind(object));
    });
  }
};

// The reference's OneRoomS8: one ball in one room.
class OneRoom : public LevelWith<OneObjectConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomSize<Config>()); }

  void Generate() {
    GenerateWith([&] {
      const Cell ball = AddObject({0, 0}, Kind::kBall);
      PlaceAgentAnywhere();
      return PickUp(OfKind(ball));
    });
  }
};

struct CorridorConfig : RoomsConfig {
  std::string obj_type = "ball";

  CorridorConfig() { room_size = 6; }
  int steps() const { return 30 * room_size * room_size; }
};

// As MiniGrid's; the mission names the kind alone.
class KeyCorridor : public LevelWith<CorridorConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    return DescribeOwn<Config>(
        RoomSize<Config>(3),
        {Option<&Config::num_rows>("num_rows", "rooms in a column", {.min = 1, .max = 8}),
         Option<&Config::num_cols>("num_cols", "rooms in a row", {.min = 3, .max = 8}),
         Option<&Config::obj_type>("obj_type", "what is to be picked up", OneOf(kObjectKinds))});
  }

  void Generate() {
    GenerateWith([&] {
      for (int row = 1; row < rooms().rows; ++row) RemoveWall({1, row}, 3);
      const RoomAt locked = {2, RandInt(0, rooms().rows)};
      const Cell door = AddDoor(locked, 2, {}, true);
      const Cell object = AddObject(locked, KindNamed(config_.obj_type));
      AddObject({0, RandInt(0, rooms().rows)}, Kind::kKey, door.color());
      PlaceAgentIn({1, rooms().rows / 2});
      ConnectAll();
      return PickUp(OfKind(object));
    });
  }
};

}  // namespace parallel_pool::minigrid::babyai
