// A grid of rooms of one size with doors between them: the base of the levels in rooms/ and of
// BabyAI's.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "parallel_pool/envs/minigrid/options.h"
#include "parallel_pool/envs/minigrid/world.h"

namespace parallel_pool::minigrid {

// The sizes of a grid of rooms.
struct Rooms {
  int size;  // cells of a room on a side, with its walls
  int rows = 3, columns = 3;

  Rules RulesWith(const LevelConfig& config, int max_steps) const {
    return RulesOf(config, (size - 1) * columns + 1, (size - 1) * rows + 1, max_steps);
  }
};

// A room's column and row.
struct RoomAt {
  int column, row;

  bool operator==(const RoomAt&) const = default;
};

// Objects that a level has added.
using Added = List<Cell, kMostObjects>;

class RoomGrid : public World {
 public:
  RoomGrid(const LevelConfig& config, const Rooms& rooms, int max_steps, Rng& rng);

 protected:
  const Rooms& rooms() const { return rooms_; }
  int num_rooms() const { return rooms_.rows * rooms_.columns; }
  Area AreaOf(RoomAt at) const;
  RoomAt RoomWith(Point p) const { return {p.x / (rooms_.size - 1), p.y / (rooms_.size - 1)}; }
  RoomAt RandRoom() {
    const int column = RandInt(0, rooms_.columns);
    return {column, RandInt(0, rooms_.rows)};
  }
  bool HasNeighbor(RoomAt at, int direction) const;
  // The door of a room in a direction, as it looks now; empty if there is none.
  Cell DoorOf(RoomAt at, int direction) const;

  // Begins a world: walls, places for doors, and the agent in the middle.
  void BuildRooms();

  // Puts an object on a free place in a room, not next to the agent.
  void PlaceIn(RoomAt at, Cell object);
  // Adds a key, ball or box to a room; what is not given is random.
  Cell AddObject(RoomAt at, std::optional<Kind> kind = {}, std::optional<Color> color = {});
  // Adds a door to a room; what is not given is random.
  Cell AddDoor(RoomAt at, std::optional<int> direction = {}, std::optional<Color> color = {},
               std::optional<bool> is_locked = {});
  void RemoveWall(RoomAt at, int direction);
  // Places the agent in a room, or a random one, not in front of an object.
  void PlaceAgentIn(RoomAt at);
  void PlaceAgentAnywhere() { PlaceAgentIn(RandRoom()); }
  // Adds unlocked doors at random until all rooms are connected.
  void ConnectAll(const List<Color, kColors>& colors);
  void ConnectAll();
  // Adds `count` objects of random looks in one room, or in random rooms; if they are distinct,
  // none looks like another object of a room.
  Added AddDistractors(int count, bool are_distinct = true, std::optional<RoomAt> room = {});

 private:
  struct Room {
    // The object on each side: a door, kOpening, or empty for a wall.
    std::array<Cell, 4> sides = {kEmpty, kEmpty, kEmpty, kEmpty};
    Point right_door, lower_door;  // where the doors to these sides are or may be
    bool is_locked = false;        // as the door that was added from this room last
    int group = 0;                 // of rooms that are connected
  };
  static constexpr Cell kOpening = {LookOf(Kind::kFloor, Color::kGrey)};

  Room& RoomOf(RoomAt at) { return all_[at.row * rooms_.columns + at.column]; }
  const Room& RoomOf(RoomAt at) const { return all_[at.row * rooms_.columns + at.column]; }
  static RoomAt Neighbor(RoomAt at, int direction) {
    const Point d = kDirections[direction];
    return {at.column + d.x, at.row + d.y};
  }
  Point DoorPlace(RoomAt at, int direction) const;
  int RandFreeSide(RoomAt at);
  void Join(RoomAt at, int direction, Cell side);

  const Rooms rooms_;
  std::vector<Room> all_;  // row by row; needed only while a world is generated
  int num_groups_ = 0;
  std::bitset<kLooks> looks_;  // of the objects that are placed in rooms
};

}  // namespace parallel_pool::minigrid
