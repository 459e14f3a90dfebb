// BabyAI's levels to open doors.
#pragma once

#include <string>

#include "parallel_pool/envs/minigrid/babyai/go_to.h"

namespace parallel_pool::minigrid::babyai {

inline constexpr const char* kColorNames[] = {"",       "blue", "green", "grey",
                                              "purple", "red",  "yellow"};

// The color with this name, or `other` if it is empty.
inline Color ColorNamed(const std::string& name, Color other) {
  for (const Color color : kDrawnColors) {
    if (NameOf(color) == name) return color;
  }
  return other;
}

inline List<Color, kColors> AllColors() {
  List<Color, kColors> colors;
  for (const Color color : kDrawnColors) colors.Add(color);
  return colors;
}

// The reference's Open: any door of a maze.
class OpenAny : public LevelWith<RoomsConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>(RoomSizeAndNumber<Config>(2)); }

  void Generate() {
    GenerateWith([&] {
      PlaceAgentAnywhere();
      ConnectAll();
      AddDistractors(18, false);
      RejectUnlessReachable();
      Added doors;  // each twice: once for each of its rooms
      for (int column = 0; column < rooms().columns; ++column) {
        for (int row = 0; row < rooms().rows; ++row) {
          for (int direction = 0; direction < 4; ++direction) {
            const Cell door = DoorOf({column, row}, direction);
            if (!door.is_empty()) doors.Add(door);
          }
        }
      }
      return Open(Like(RandElement(doors)));
    });
  }
};

struct TwoSmallRoomsConfig : RoomsConfig {
  Rooms rooms() const { return {5, 1, 2}; }
};

class OpenRedDoor : public LevelWith<TwoSmallRoomsConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() { return DescribeOwn<Config>({}); }

  void Generate() {
    GenerateWith([&] {
      const Cell door = AddDoor({0, 0}, 0, Color::kRed, false);
      PlaceAgentIn({0, 0});
      return Open(Like(door));
    });
  }
};

struct OpenDoorConfig : RoomsConfig {
  bool debug = false;
  std::string select_by = "";
};

inline constexpr const char* kSelectBy[] = {"", "color", "loc"};

// One of four doors, named by its color or its place.
class OpenDoor : public LevelWith<OpenDoorConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    Options<Config> sizes = RoomSize<Config>();
    for (const auto& option : RoomNumber<Config>()) sizes.push_back(option);
    return DescribeOwn<Config>(
        sizes, {Option<&Config::debug>("debug", "opening another door ends the episode"),
                Option<&Config::select_by>("select_by", "how the door is named; empty: drawn",
                                           OneOf(kSelectBy))});
  }

  void Generate() {
    GenerateWith([&] {
      const List<Color, kColors> colors = RandSubset(AllColors(), 4);
      for (int i = 0; i < 4; ++i) AddDoor(kMiddle, i, colors[i], false);
      const bool is_by_color = config_.select_by.empty() ? RandInt(0, 2) == 0  //
                                                         : config_.select_by == "color";
      ObjectDescription door = {Kind::kClosedDoor};
      if (is_by_color) {
        door.color = colors[0];
      } else {
        door.where =
            RandElement(List<Where, 4>{Where::kLeft, Where::kRight, Where::kFront, Where::kBehind});
      }
      PlaceAgentIn(kMiddle);
      return Open(door, config_.debug);
    });
  }
};

struct OpenTwoDoorsConfig : RoomsConfig {
  std::string first_color = "", second_color = "";
  bool strict = false;

  Rooms rooms() const { return {6, num_rows, num_cols}; }
  int steps() const { return 20 * 6 * 6; }
};

// Two doors in an order.
class OpenTwoDoors : public LevelWith<OpenTwoDoorsConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    return DescribeOwn<Config>(
        RoomNumber<Config>(),
        {Option<&Config::first_color>("first_color", "of the first door; empty: drawn",
                                      OneOf(kColorNames)),
         Option<&Config::second_color>("second_color", "of the second door; empty: drawn",
                                       OneOf(kColorNames)),
         Option<&Config::strict>("strict", "opening the second door first ends the episode")});
  }

  void Generate() {
    GenerateWith([&] {
      const List<Color, kColors> colors = RandSubset(AllColors(), 2);
      const Color first = ColorNamed(config_.first_color, colors[0]);
      const Color second = ColorNamed(config_.second_color, colors[1]);
      const Cell left = AddDoor(kMiddle, 2, first, false);
      const Cell right = AddDoor(kMiddle, 0, second, false);
      PlaceAgentIn(kMiddle);
      return Then(Open(Like(left), config_.strict), Open(Like(right)));
    });
  }
};

struct OpenDoorsOrderConfig : RoomsConfig {
  int32_t num_doors = 2;
  bool debug = false;

  Rooms rooms() const { return {6, num_rows, num_cols}; }
  int steps() const { return 20 * 6 * 6; }
};

// One or two of several doors, in one of the two orders.
class OpenDoorsOrder : public LevelWith<OpenDoorsOrderConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    return DescribeOwn<Config>(
        RoomNumber<Config>(),
        {Option<&Config::num_doors>("num_doors", "doors of the middle room", {.min = 2, .max = 4}),
         Option<&Config::debug>("debug", "opening another door ends the episode")});
  }

  void Generate() {
    GenerateWith([&] {
      const List<Color, kColors> colors = RandSubset(AllColors(), config_.num_doors);
      List<Cell, 4> doors;
      for (const Color color : colors) doors.Add(AddDoor(kMiddle, {}, color, false));
      PlaceAgentIn(kMiddle);
      const List<Cell, 4> two = RandSubset(doors, 2);
      const Instruction a = Open(Like(two[0]), config_.debug);
      const Instruction b = Open(Like(two[1]), config_.debug);
      const int order = RandInt(0, 3);
      return order == 0 ? a : order == 1 ? Then(a, b) : After(a, b);
    });
  }
};

}  // namespace parallel_pool::minigrid::babyai
