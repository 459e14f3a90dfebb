// BabyAI's levels with locked doors.
#pragma once

#include "parallel_pool/envs/minigrid/babyai/open.h"

namespace parallel_pool::minigrid::babyai {

// The reference's Unlock: the door of a locked room in a maze.
class UnlockAny : public LevelWith<RoomsConfig> {
 public:
  using LevelWith::LevelWith;
  // A world of more rooms would have too many objects: four for each room, doors included.
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomSizeAndNumber<Config>(2, 7)); }

  void Generate() {
    GenerateWith([&] {
      const RoomAt locked = RandRoom();
      const Cell door = AddDoor(locked, {}, {}, true);
      // The key may be in the locked room, as in GoToImpUnlock.
      AddObject(RandRoom(), Kind::kKey, door.color());
      if (RandBool()) {
        List<Color, kColors> colors;  // of other doors
        for (const Color color : kDrawnColors) {
          if (color != door.color()) colors.Add(color);
        }
        ConnectAll(colors);
      } else {
        ConnectAll();
      }
      for (int column = 0; column < rooms().columns; ++column) {
        for (int row = 0; row < rooms().rows; ++row) AddDistractors(3, false, RoomAt{column, row});
      }
      PlaceAgentOutside(locked);
      RejectUnlessReachable();
      return Open(Like(door));
    });
  }
};

struct UnlockLocalConfig : RoomsConfig { bool distractors = false; };

// A door of the agent's room.
class UnlockLocal : public LevelWith<UnlockLocalConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    Options<Config> sizes = RoomSize<Config>();
    for (const auto& option : RoomNumber<Config>()) sizes.push_back(option);
    return DescribeOwn<Config>(sizes,
                               {Option<&Config::distractors>("distractors", "with more objects")});
  }

  void Generate() {
    GenerateWith([&] {
      const Cell door = AddDoor(kMiddle, {}, {}, true);
      AddObject(kMiddle, Kind::kKey, door.color());
      if (config_.distractors) AddDistractors(3, true, kMiddle);
      PlaceAgentIn(kMiddle);
      return Open(OfKind(door));
    });
  }
};

// The key is in a box.
class KeyInBox : public LevelWith<RoomsConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    Options<Config> sizes = RoomSize<Config>();
    for (const auto& option : RoomNumber<Config>()) sizes.push_back(option);
    return DescribeOwn<Config>(sizes);
  }

  void Generate() {
    GenerateWith([&] {
      const Cell door = AddDoor(kMiddle, {}, {}, true);
      const Cell key = New(Kind::kKey, door.color());
      PlaceIn(kMiddle, Box(RandColor(), key));
      PlaceAgentIn(kMiddle);
      return Open(OfKind(door));
    });
  }
};

struct UnlockPickupConfig : RoomsConfig {
  bool distractors = false;

  Rooms rooms() const { return {6, 1, 2}; }
};

// A box behind a locked door.
class UnlockPickup : public LevelWith<UnlockPickupConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    return DescribeOwn<Config>({},
                               {Option<&Config::distractors>("distractors", "with more objects")});
  }

  void Generate() {
    GenerateWith([&] {
      const Cell box = AddObject({1, 0}, Kind::kBox);
      const Cell door = AddDoor({0, 0}, 0, {}, true);
      AddObject({0, 0}, Kind::kKey, door.color());
      if (config_.distractors) AddDistractors(4);
      PlaceAgentIn({0, 0});
      return PickUp(Like(box));
    });
  }
};

struct BlockedConfig : RoomsConfig {
  Rooms rooms() const { return {6, 1, 2}; }
  int steps() const { return 16 * 6 * 6; }
};

// A box behind a locked door, before which a ball lies.
class BlockedUnlockPickup : public LevelWith<BlockedConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>({}); }

  void Generate() {
    GenerateWith([&] {
      const Cell box = AddObject({1, 0}, Kind::kBox);
      const Cell door = AddDoor({0, 0}, 0, {}, true);
      Put(New(Kind::kBall, RandColor()), PlaceOf(door) - Point{1, 0});
      AddObject({0, 0}, Kind::kKey, door.color());
      PlaceAgentIn({0, 0});
      return PickUp(OfKind(box));
    });
  }
};

struct ThreeRoomsConfig : RoomsConfig {
  Rooms rooms() const { return {6, 1, 3}; }
  int steps() const { return 30 * 6 * 6; }
};

// A ball behind a locked door, whose key is behind another one.
class UnlockToUnlock : public LevelWith<ThreeRoomsConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>({}); }

  void Generate() {
    GenerateWith([&] {
      const List<Color, kColors> colors = RandSubset(AllColors(), 2);
      AddDoor({0, 0}, 0, colors[0], true);
      AddObject({2, 0}, Kind::kKey, colors[0]);
      AddDoor({1, 0}, 0, colors[1], true);
      AddObject({1, 0}, Kind::kKey, colors[1]);
      const Cell ball = AddObject({0, 0}, Kind::kBall);
      PlaceAgentIn({1, 0});
      return PickUp(OfKind(ball));
    });
  }
};

// Go to, open or pick up one of the doors and objects of a room.
class ActionObjDoor : public LevelWith<MiddleRoomConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomNumber<Config>()); }

  void Generate() {
    GenerateWith([&] {
      Added targets = AddDistractors(5, true, kMiddle);
      AddFourDoors(kMiddle, targets, false);
      PlaceAgentIn(kMiddle);
      const Cell target = RandElement(targets);
      if (RandBool()) return GoTo(Like(target));
      return IsDoor(target.kind()) ? Open(Like(target)) : PickUp(Like(target));
    });
  }
};

}  // namespace parallel_pool::minigrid::babyai
