// Walk to the goal through a chain of rooms of random sizes with closed doors.
#pragma once

#include <stdexcept>
#include <string>

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class MultiRoom : public World {
 public:
  struct Config : LevelConfig { int32_t min_num_rooms = 6, max_num_rooms = 6, max_room_size = 10; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::min_num_rooms>("min_num_rooms", "the fewest rooms",
                                        {.min = 1, .max = kMostRooms}),
         Option<&Config::max_num_rooms>("max_num_rooms", "the most rooms",
                                        {.min = 1, .max = kMostRooms}),
         Option<&Config::max_room_size>("max_room_size",
                                        "the most cells on a side of a room, with its walls",
                                        {.min = 4, .max = kSize})});
  }
  static Rules RulesFor(const Config& c) {
    if (c.min_num_rooms > c.max_num_rooms) {
      throw std::invalid_argument("min_num_rooms is " + std::to_string(c.min_num_rooms) +
                                  "; it must not be above max_num_rooms, which is " +
                                  std::to_string(c.max_num_rooms));
    }
    return RulesOf(c, kSize, kSize, 20 * c.max_num_rooms);
  }

  MultiRoom(const Config& config, Rng& rng)
      : World(RulesFor(config), rng),
        min_rooms_(config.min_num_rooms),
        max_rooms_(config.max_num_rooms),
        max_size_(config.max_room_size) {}

  void Generate() {
    const Rooms rooms = DrawRooms(RandInt(min_rooms_, max_rooms_ + 1));
    List<Color, kColors> colors;  // all but the last door's
    for (const Color color : kDrawnColors) colors.Add(color);
    Color last = {};
    for (size_t i = 0; i < rooms.size(); ++i) {
      Walls(rooms[i].area);
      if (i == 0) continue;
      colors.Clear();
      for (const Color color : kDrawnColors) {
        if (i == 1 || color != last) colors.Add(color);
      }
      last = RandElement(colors);
      Put(New(Kind::kClosedDoor, last), rooms[i].door);
    }
    PlaceAgent(rooms[0].area);
    Set(FreePlace(rooms[rooms.size() - 1].area), kGoal);
    SetMission({"traverse the rooms to get to the goal"});
  }

 private:
  static constexpr int kSize = 25, kMostRooms = 20, kMinSize = 4;
  static constexpr int kMostChains = 100'000;  // the reference tries forever

  struct Room {
    Area area;
    Point door;  // to the room before
  };
  using Rooms = List<Room, kMostRooms>;

  // A chain of `count` rooms: the longest of several attempts.
  Rooms DrawRooms(int count) {
    Rooms longest;
    for (int tries = 0; tries < kMostChains; ++tries) {
      Rooms rooms;
      const int x = RandInt(0, width() - 2);
      AddRoom(rooms, count, kWest, {x, RandInt(0, width() - 2)});
      if (rooms.size() > longest.size()) longest = rooms;
      if (static_cast<int>(longest.size()) >= count) return longest;
    }
    throw Rejected("no chain of " + std::to_string(count) +
                   " rooms was found; ask for fewer or smaller rooms");
  }

  enum Wall { kEast, kSouth, kWest, kNorth };  // of a room

  // Adds a room whose `wall` contains `door`, and the rest of the chain, `left` rooms in all, as
  // far as it goes. False if there is no space for this room.
  bool AddRoom(Rooms& rooms, int left, int wall, Point door) {
    const int columns = RandInt(kMinSize, max_size_ + 1), rows = RandInt(kMinSize, max_size_ + 1);
    Area area = {door, columns, rows};  // of the first room
    if (rooms.size() > 0) {
      if (wall == kEast) area.top.x = door.x - columns + 1;
      if (wall == kSouth) area.top.y = door.y - rows + 1;
      if (wall == kEast || wall == kWest) {
        area.top.y = RandInt(door.y - rows + 2, door.y);
      } else {
        area.top.x = RandInt(door.x - columns + 2, door.x);
      }
    }
    if (!HasSpace(rooms, area)) return false;
    rooms.Add({area, door});
    if (left == 1) return true;
    for (int tries = 0; tries < 8; ++tries) {
      List<int, 4> others;
      for (const int other : {kEast, kSouth, kWest, kNorth}) {
        if (other != wall) others.Add(other);
      }
      const int exit = RandElement(others);
      Point next = area.top;
      if (exit == kEast) next.x += columns - 1;
      if (exit == kSouth) next.y += rows - 1;
      if (exit == kEast || exit == kWest) {
        next.y += RandInt(1, rows - 1);
      } else {
        next.x += RandInt(1, columns - 1);
      }
      if (AddRoom(rooms, left - 1, (exit + 2) % 4, next)) break;
    }
    return true;
  }

  // Whether the area is on the grid and apart from all rooms but the last, whose wall it shares.
  // The two axes have different bounds in the reference.
  bool HasSpace(const Rooms& rooms, const Area& area) const {
    const auto [x, y] = area.top;
    if (x < 0 || y < 0 || x + area.width > width() || y + area.height >= height()) return false;
    for (size_t i = 0; i + 1 < rooms.size(); ++i) {
      const Area& other = rooms[i].area;
      const bool is_apart = x + area.width < other.top.x || other.top.x + other.width <= x ||
                            y + area.height < other.top.y || other.top.y + other.height <= y;
      if (!is_apart) return false;
    }
    return true;
  }

  const int min_rooms_, max_rooms_, max_size_;
};

}  // namespace parallel_pool::minigrid
