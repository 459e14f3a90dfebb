#include "parallel_pool/envs/minigrid/babyai/level.h"

#include <array>
#include <cstdint>

namespace parallel_pool::minigrid::babyai {

Outcome Level::Act(int move) {
  const Outcome outcome = World::Act(move);
  switch (verifier_.Verify(move, *this)) {
    case Status::kSuccess:
      return Success();
    case Status::kFailure:
      return {.terminated = true};
    default:
      return outcome;
  }
}

void Level::BeginMission() {
  text_.clear();
  verifier_.AppendText(text_);
  SetMission({text_}, -1);
  const int cells = rooms().size * rooms().size * num_rooms();
  if (max_steps() == 0) set_max_steps(verifier_.num_visits() * cells);
}

bool Level::CanReachAll() const {
  // Bit x of a row is cell (x, y).
  using Rows = std::array<uint64_t, kLargestGrid>;
  Rows passable = {}, things = {}, reached = {};
  for (int y = 0; y < height(); ++y) {
    for (int x = 0; x < width(); ++x) {
      const Kind kind = At({x, y}).kind();
      const uint64_t bit = uint64_t{1} << x;
      if (kind == Kind::kEmpty || IsDoor(kind)) passable[y] |= bit;
      if (kind != Kind::kEmpty && kind != Kind::kWall) things[y] |= bit;
    }
  }
  reached[agent().y] = uint64_t{1} << agent().x;
  // Sweeps down and up until nothing changes. The border of the grid is of walls.
  for (bool changes = true; changes;) {
    changes = false;
    const auto spread = [&](int y) {
      const uint64_t before = reached[y];
      uint64_t row = before | ((reached[y - 1] | reached[y + 1]) & passable[y]);
      for (uint64_t last = 0; last != row;) {
        last = row;
        row |= (row << 1 | row >> 1) & passable[y];
      }
      reached[y] = row;
      changes = changes || row != before;
    };
    for (int y = 1; y < height() - 1; ++y) spread(y);
    for (int y = height() - 2; y > 0; --y) spread(y);
  }
  for (int y = 1; y < height() - 1; ++y) {
    const uint64_t row = reached[y];
    const uint64_t beside = row | row << 1 | row >> 1 | reached[y - 1] | reached[y + 1];
    if ((things[y] & ~beside) != 0) return false;
  }
  return true;
}

void Level::PlaceAgentOutside(RoomAt room) {
  do {
    PlaceAgentAnywhere();
  } while (RoomWith(agent()) == room);
}

void Level::AddFourDoors(RoomAt room, Added& doors, std::optional<bool> is_locked) {
  for (int i = 0; i < 4; ++i) doors.Add(AddDoor(room, {}, {}, is_locked));
}

void Level::OpenAllDoors() {
  for (int id = 1; id <= num_objects(); ++id) {
    const Cell cell = Now({0, static_cast<uint8_t>(id)});
    if (IsDoor(cell.kind())) Set(PlaceOf(cell), {LookOf(Kind::kOpenDoor, cell.color()), cell.id});
  }
}

}  // namespace parallel_pool::minigrid::babyai
