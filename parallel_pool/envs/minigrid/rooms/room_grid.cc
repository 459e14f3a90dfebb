#include "parallel_pool/envs/minigrid/rooms/room_grid.h"

#include <stdexcept>
#include <string>

#include "parallel_pool/envs/minigrid/levels/objects.h"

namespace parallel_pool::minigrid {
namespace {

constexpr int kPlaceTries = 1000, kDoorTries = 5000;  // the reference's

}  // namespace

RoomGrid::RoomGrid(const LevelConfig& config, const Rooms& rooms, int max_steps, Rng& rng)
    : World(rooms.RulesWith(config, max_steps), rng), rooms_(rooms), all_(num_rooms()) {}

Area RoomGrid::AreaOf(RoomAt at) const {
  const int step = rooms_.size - 1;
  return {{at.column * step, at.row * step}, rooms_.size, rooms_.size};
}

bool RoomGrid::HasNeighbor(RoomAt at, int direction) const {
  const auto [column, row] = Neighbor(at, direction);
  return column >= 0 && row >= 0 && column < rooms_.columns && row < rooms_.rows;
}

Cell RoomGrid::DoorOf(RoomAt at, int direction) const {
  const Cell side = RoomOf(at).sides[direction];
  return side == kEmpty || side == kOpening ? kEmpty : At(DoorPlace(at, direction));
}

Point RoomGrid::DoorPlace(RoomAt at, int direction) const {
  switch (direction) {
    case 0:
      return RoomOf(at).right_door;
    case 1:
      return RoomOf(at).lower_door;
    case 2:
      return RoomOf(Neighbor(at, direction)).right_door;
    default:
      return RoomOf(Neighbor(at, direction)).lower_door;
  }
}

void RoomGrid::BuildRooms() {
  num_groups_ = num_rooms();
  looks_.reset();
  for (int row = 0; row < rooms_.rows; ++row) {
    for (int column = 0; column < rooms_.columns; ++column) {
      const Area area = AreaOf({column, row});
      Walls(area);
      const auto [x, y] = area.top;
      const int last = rooms_.size - 1;
      Room room = {};
      room.group = row * rooms_.columns + column;
      if (HasNeighbor({column, row}, 0)) room.right_door = {x + last, RandInt(y + 1, y + last)};
      if (HasNeighbor({column, row}, 1)) room.lower_door = {RandInt(x + 1, x + last), y + last};
      RoomOf({column, row}) = room;
    }
  }
  const Point middle = AreaOf({rooms_.columns / 2, rooms_.rows / 2}).top;
  SetAgent(middle + Point{rooms_.size / 2, rooms_.size / 2}, 0);
}

void RoomGrid::PlaceIn(RoomAt at, Cell object) {
  Put(object,
      FreePlace(AreaOf(at), kPlaceTries, [&](Point p) { return Distance(p, agent()) < 2; }));
  looks_.set(object.look);
}

Cell RoomGrid::AddObject(RoomAt at, std::optional<Kind> kind, std::optional<Color> color) {
  if (!kind) kind = RandElement(kKeyBallBox);
  if (!color) color = RandColor();
  const Cell object = New(*kind, *color);
  PlaceIn(at, object);
  return object;
}

int RoomGrid::RandFreeSide(RoomAt at) {
  const auto is_free = [&](int d) { return HasNeighbor(at, d) && RoomOf(at).sides[d] == kEmpty; };
  if (!is_free(0) && !is_free(1) && !is_free(2) && !is_free(3)) {
    throw std::invalid_argument("room (" + std::to_string(at.column) + ", " +
                                std::to_string(at.row) +
                                ") has no side left for a door; ask for more rooms");
  }
  int direction = RandInt(0, 4);
  while (!is_free(direction)) direction = RandInt(0, 4);
  return direction;
}

Cell RoomGrid::AddDoor(RoomAt at, std::optional<int> direction, std::optional<Color> color,
                       std::optional<bool> is_locked) {
  if (!direction) direction = RandFreeSide(at);
  if (!color) color = RandColor();
  if (!is_locked) is_locked = RandBool();
  RoomOf(at).is_locked = *is_locked;
  const Cell door = New(*is_locked ? Kind::kLockedDoor : Kind::kClosedDoor, *color);
  Put(door, DoorPlace(at, *direction));
  Join(at, *direction, door);
  return door;
}

void RoomGrid::RemoveWall(RoomAt at, int direction) {
  const Area area = AreaOf(at);
  const int last = rooms_.size - 1, length = rooms_.size - 2;
  switch (direction) {
    case 0:
      VerticalLine(area.top + Point{last, 1}, length, kEmpty);
      break;
    case 1:
      HorizontalLine(area.top + Point{1, last}, length, kEmpty);
      break;
    case 2:
      VerticalLine(area.top + Point{0, 1}, length, kEmpty);
      break;
    default:
      HorizontalLine(area.top + Point{1, 0}, length, kEmpty);
      break;
  }
  Join(at, direction, kOpening);
}

void RoomGrid::Join(RoomAt at, int direction, Cell side) {
  Room& room = RoomOf(at);
  Room& other = RoomOf(Neighbor(at, direction));
  room.sides[direction] = side;
  other.sides[(direction + 2) % 4] = side;
  if (room.group == other.group) return;
  --num_groups_;
  const int from = other.group;
  for (Room& r : all_) {
    if (r.group == from) r.group = room.group;
  }
}

void RoomGrid::PlaceAgentIn(RoomAt at) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    PlaceAgent(AreaOf(at), kPlaceTries);
    const Cell ahead = At(front());
    if (ahead.is_empty() || ahead.kind() == Kind::kWall) return;
  }
  throw Rejected("the agent found no place that faces an empty cell or a wall");
}

void RoomGrid::ConnectAll(const List<Color, kColors>& colors) {
  for (int tries = 0; tries <= kDoorTries; ++tries) {
    if (num_groups_ == 1) return;
    const RoomAt at = RandRoom();
    const int direction = RandInt(0, 4);
    if (!HasNeighbor(at, direction) || RoomOf(at).sides[direction] != kEmpty) continue;
    if (RoomOf(at).is_locked || RoomOf(Neighbor(at, direction)).is_locked) continue;
    AddDoor(at, direction, RandElement(colors), false);
  }
  throw Rejected("the rooms could not be connected");
}

void RoomGrid::ConnectAll() {
  List<Color, kColors> colors;
  for (const Color color : kDrawnColors) colors.Add(color);
  ConnectAll(colors);
}

Added RoomGrid::AddDistractors(int count, bool are_distinct, std::optional<RoomAt> room) {
  Added added;
  while (static_cast<int>(added.size()) < count) {
    const Color color = RandColor();
    const Kind kind = RandElement(kKeyBallBox);
    if (are_distinct && looks_.test(LookOf(kind, color))) continue;
    added.Add(AddObject(room ? *room : RandRoom(), kind, color));
  }
  return added;
}

}  // namespace parallel_pool::minigrid
