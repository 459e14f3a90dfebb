// Levels of rooms that end when the agent picks up one object.
#pragma once

#include "parallel_pool/envs/minigrid/rooms/room_grid.h"

namespace parallel_pool::minigrid {

class PickUpLevel : public RoomGrid {
 public:
  using RoomGrid::RoomGrid;

  Outcome Act(int move) {
    const Outcome outcome = World::Act(move);
    return move == kPickUp && carried() == target_ ? Success() : outcome;
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(target_)); }

 protected:
  // `id`: the mission's number among those of the level.
  void SetTarget(Cell object, int id) {
    target_ = object;
    SetMission({"pick up the ", NameOf(object.color()), " ", NameOf(object.kind())}, id);
  }

 private:
  Cell target_ = kEmpty;
};

}  // namespace parallel_pool::minigrid
