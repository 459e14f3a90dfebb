// Pick up the blue ball: doors are locked, keys are in boxes, and balls lie before doors.
#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "parallel_pool/envs/minigrid/rooms/pick_up.h"

namespace parallel_pool::minigrid {

// The common parts of the levels.
class ObstructedMaze : public PickUpLevel {
 public:
  struct Config : LevelConfig { bool key_in_box = true, blocked = true; };
  static Options<Config> Describe() {
    return {Option<&Config::key_in_box>("key_in_box", "keys are in boxes"),
            Option<&Config::blocked>("blocked", "balls lie before locked doors")};
  }

 protected:
  static constexpr int kRoomSize = 6;
  // The steps to visit so many rooms.
  static constexpr int StepsFor(int rooms) { return 4 * rooms * kRoomSize * kRoomSize; }

  ObstructedMaze(const Config& config, const Rooms& rooms, int max_steps, Rng& rng)
      : PickUpLevel(config, rooms, max_steps, rng),
        key_in_box_(config.key_in_box),
        is_blocked_(config.blocked) {}

  void BuildMaze() {
    BuildRooms();
    List<Color, kColors> colors;
    for (const Color color : kDrawnColors) colors.Add(color);
    colors_ = RandSubset(colors, kColors);
  }
  Color DoorColor(int i) const { return colors_[(i + kColors) % kColors]; }

  void AddLockedDoor(RoomAt at, int direction, Color color) {
    const Cell door = AddDoor(at, direction, color, true);
    if (!is_blocked_) return;
    Put(New(Kind::kBall, Color::kGreen), PlaceOf(door) - kDirections[direction]);
  }
  void AddKey(RoomAt at, Color color) {
    const Cell key = New(Kind::kKey, color);
    PlaceIn(at, key_in_box_ ? Box(Color::kGrey, key) : key);
  }
  void AddTarget(RoomAt at) { SetTarget(AddObject(at, Kind::kBall, Color::kBlue), 0); }

 private:
  const bool key_in_box_, is_blocked_;
  List<Color, kColors> colors_;  // of doors
};

// Two rooms.
class ObstructedMaze_1Dlhb : public ObstructedMaze {
 public:
  static Options<Config> Describe() { return DescribeLevel<Config>(ObstructedMaze::Describe()); }
  static Rules RulesFor(const Config& c) { return kRooms.RulesWith(c, StepsFor(2)); }

  ObstructedMaze_1Dlhb(const Config& config, Rng& rng)
      : ObstructedMaze(config, kRooms, RulesFor(config).max_steps, rng) {}

  void Generate() {
    BuildMaze();
    AddLockedDoor({0, 0}, 0, DoorColor(0));
    AddKey({0, 0}, DoorColor(0));
    AddTarget({1, 0});
    PlaceAgentIn({0, 0});
  }

 private:
  static constexpr Rooms kRooms = {.size = kRoomSize, .rows = 1, .columns = 2};
};

// Nine rooms: doors from the middle to the sides, and locked doors from there to the corners. In
// version 0 a key may lie where a ball is put later, which removes it; version 1 places keys last.
template <int version>
class ObstructedMaze_Full : public ObstructedMaze {
 public:
  struct Config : ObstructedMaze::Config {
    Numbers<2> agent_room = {1, 1};
    int32_t num_quarters = 4, num_rooms_visited = 25;
  };
  static Options<Config> Describe() {
    Options<Config> own = {
        Option<&Config::agent_room>("agent_room", "column and row of the agent's room, 0 to 2"),
        Option<&Config::num_quarters>("num_quarters", "sides with doors, and corners for the ball",
                                      {.min = 1, .max = 4}),
        Option<&Config::num_rooms_visited>("num_rooms_visited", "rooms that max_steps allow for",
                                           {.min = 1, .max = 1000})};
    for (const auto& option : ObstructedMaze::Describe()) own.push_back(option);
    return DescribeLevel<Config>(own);
  }
  static Rules RulesFor(const Config& c) {
    AgentRoom(c);
    return kRooms.RulesWith(c, StepsFor(c.num_rooms_visited));
  }

  ObstructedMaze_Full(const Config& config, Rng& rng)
      : ObstructedMaze(config, kRooms, RulesFor(config).max_steps, rng),
        agent_room_(AgentRoom(config)),
        num_quarters_(config.num_quarters) {}

  void Generate() {
    static constexpr std::array<RoomAt, 4> kSides = {{{2, 1}, {1, 2}, {0, 1}, {1, 0}}};
    static constexpr std::array<RoomAt, 4> kCorners = {{{2, 0}, {2, 2}, {0, 2}, {0, 0}}};
    BuildMaze();
    for (int i = 0; i < num_quarters_; ++i) {
      AddDoor({1, 1}, i, DoorColor(i), false);
      for (const int turn : {-1, 1}) {
        AddLockedDoor(kSides[i], (i + turn + 4) % 4, DoorColor(i + turn));
        if (version == 0) AddKey(kSides[i], DoorColor(i + turn));
      }
      if (version == 0) continue;
      for (const int turn : {-1, 1}) AddKey(kSides[i], DoorColor(i + turn));
    }
    AddTarget(kCorners[RandInt(0, num_quarters_)]);
    PlaceAgentIn(agent_room_);
  }

 private:
  static constexpr Rooms kRooms = {.size = kRoomSize};

  static RoomAt AgentRoom(const Config& c) {
    const RoomAt room = {static_cast<int>(c.agent_room[0]), static_cast<int>(c.agent_room[1])};
    if (room.column == c.agent_room[0] && room.row == c.agent_room[1] && room.column >= 0 &&
        room.column <= 2 && room.row >= 0 && room.row <= 2) {
      return room;
    }
    throw std::invalid_argument("agent_room is (" + std::to_string(c.agent_room[0]) + ", " +
                                std::to_string(c.agent_room[1]) +
                                "); it must be two integers from 0 to 2");
  }

  const RoomAt agent_room_;
  const int num_quarters_;
};

}  // namespace parallel_pool::minigrid
