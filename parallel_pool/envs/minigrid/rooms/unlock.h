// Two rooms with a locked door between them.
#pragma once

#include "parallel_pool/envs/minigrid/rooms/pick_up.h"

namespace parallel_pool::minigrid {

inline constexpr Rooms kTwoRooms = {.size = 6, .rows = 1, .columns = 2};

// Open the door with the key.
class Unlock : public RoomGrid {
 public:
  struct Config : LevelConfig {};
  static Options<Config> Describe() { return DescribeLevel<Config>(); }
  static Rules RulesFor(const Config& c) { return kTwoRooms.RulesWith(c, 8 * 6 * 6); }

  Unlock(const Config& config, Rng& rng)
      : RoomGrid(config, kTwoRooms, RulesFor(config).max_steps, rng) {}

  void Generate() {
    BuildRooms();
    door_ = AddDoor({0, 0}, 0, {}, true);
    AddObject({0, 0}, Kind::kKey, door_.color());
    PlaceAgentIn({0, 0});
    SetMission({"open the door"});
  }

  Outcome Act(int move) {
    const Outcome outcome = World::Act(move);
    return move == kToggle && Now(door_).kind() == Kind::kOpenDoor ? Success() : outcome;
  }

  auto Saved() { return std::tuple_cat(World::Saved(), std::tie(door_)); }

 private:
  Cell door_ = kEmpty;
};

// Open the door with the key and pick up the box behind it. Blocked: a ball lies before the door.
template <bool is_blocked>
class UnlockPickUp : public PickUpLevel {
 public:
  struct Config : LevelConfig {};
  static Options<Config> Describe() { return DescribeLevel<Config>(); }
  static Rules RulesFor(const Config& c) {
    return kTwoRooms.RulesWith(c, (is_blocked ? 16 : 8) * 6 * 6);
  }

  UnlockPickUp(const Config& config, Rng& rng)
      : PickUpLevel(config, kTwoRooms, RulesFor(config).max_steps, rng) {}

  void Generate() {
    BuildRooms();
    const Cell box = AddObject({1, 0}, Kind::kBox);
    const Cell door = AddDoor({0, 0}, 0, {}, true);
    if (is_blocked) Put(New(Kind::kBall, RandColor()), PlaceOf(door) - Point{1, 0});
    AddObject({0, 0}, Kind::kKey, door.color());
    PlaceAgentIn({0, 0});
    const int color = static_cast<int>(box.color());
    SetTarget(box, is_blocked ? 2 * color : color);  // the reference's words: color, and box or key
  }
};
using UnlockPickup = UnlockPickUp<false>;
using BlockedUnlockPickup = UnlockPickUp<true>;

}  // namespace parallel_pool::minigrid
