// The common parts of BabyAI's levels: a grid of rooms with an instruction, and their options.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "parallel_pool/envs/minigrid/babyai/instruction.h"
#include "parallel_pool/envs/minigrid/options.h"
#include "parallel_pool/envs/minigrid/rooms/room_grid.h"

namespace parallel_pool::minigrid::babyai {

// A level's Config derives from this one and hides rooms() and steps() where its own differ.
struct RoomsConfig : LevelConfig {
  int32_t room_size = 8, num_rows = 3, num_cols = 3;

  Rooms rooms() const { return {room_size, num_rows, num_cols}; }
  int steps() const { return 0; }  // the time limit; 0: by the number of rooms to visit
};

// Options for the size of rooms, and for the number of them in a row and in a column.
template <class Config>
Options<Config> RoomSize(int smallest = 4) {
  return {Option<&RoomsConfig::room_size>("room_size", "cells of a room on a side, with its walls",
                                          {.min = static_cast<double>(smallest)})};
}
template <class Config>
Options<Config> RoomSizeAndNumber(int fewest, int most = 8) {
  Options<Config> options = RoomSize<Config>();
  const Range range = {.min = static_cast<double>(fewest), .max = static_cast<double>(most)};
  options.push_back(Option<&RoomsConfig::num_rows>("num_rows", "rooms in a column", range));
  options.push_back(Option<&RoomsConfig::num_cols>("num_cols", "rooms in a row", range));
  return options;
}
// The options of all levels, then `sizes`, then a level's own.
template <class Config>
Options<Config> DescribeOwn(Options<Config> sizes, Options<Config> own = {}) {
  sizes.insert(sizes.end(), own.begin(), own.end());
  return DescribeLevel<Config>(sizes);
}

inline constexpr Range kObjectCounts = {.min = 0, .max = 100};

// A description of exactly such objects.
inline ObjectDescription Like(Cell object) {
  return {IsDoor(object.kind()) ? Kind::kClosedDoor : object.kind(), object.color()};
}
inline ObjectDescription OfKind(Cell object) {
  return {IsDoor(object.kind()) ? Kind::kClosedDoor : object.kind()};
}

// Instructions of one command.
inline Instruction GoTo(const ObjectDescription& what) {
  return {{{Verb::kGoTo, what}}};
}
inline Instruction Open(const ObjectDescription& door, bool is_strict = false) {
  return {{{Verb::kOpen, door, {}, is_strict}}};
}
inline Instruction PickUp(const ObjectDescription& what, bool is_strict = false) {
  return {{{Verb::kPickUp, what, {}, is_strict}}};
}
inline Instruction PutNext(const ObjectDescription& what, const ObjectDescription& next_to) {
  return {{{Verb::kPutNext, what, next_to}}};
}
// Two instructions of one clause each, in an order.
inline Instruction Then(const Instruction& a, const Instruction& b) {
  return {a.clause, Instruction::Order::kThen, b.clause};
}
inline Instruction After(const Instruction& a, const Instruction& b) {
  return {a.clause, Instruction::Order::kAfter, b.clause};
}

class Level : public RoomGrid {
 public:
  static constexpr int kMissionSize = 512;

  Outcome Act(int move);

  auto Saved() { return std::tuple_cat(World::Saved(), verifier_.Saved()); }

 protected:
  Level(const LevelConfig& config, const Rooms& rooms, int steps, Rng& rng)
      : RoomGrid(config, rooms, steps, rng) {}

  // Builds worlds, each with the instruction that make() returns, until one is not rejected.
  // `spares_keys`: no instruction is about the key of a locked door.
  template <class Make>
  void GenerateWith(const Make& make, bool spares_keys = false) {
    for (int attempt = 0; attempt < kMostWorlds; ++attempt) {
      Clear();
      try {
        BuildRooms();
        const Instruction instruction = make();
        verifier_.Begin(instruction, *this, AreaOf(RoomWith(agent())), spares_keys);
        return BeginMission();
      } catch (const Rejected&) {}
    }
    throw std::runtime_error("no world fits these options: " + std::to_string(kMostWorlds) +
                             " were rejected; ask for fewer objects, or more or larger rooms");
  }

  // Whether the agent can reach all objects and doors without moving any; doors count as open.
  bool CanReachAll() const;
  void RejectUnlessReachable() const {
    if (!CanReachAll()) throw Rejected("an object cannot be reached");
  }
  // Places the agent in a random room but this one.
  void PlaceAgentOutside(RoomAt room);
  // Adds a door on each side of a room; what is not given is random.
  void AddFourDoors(RoomAt room, Added& doors, std::optional<bool> is_locked = {});
  void OpenAllDoors();

 private:
  static constexpr int kMostWorlds = 100'000;  // the reference tries forever

  void BeginMission();

  Verifier verifier_;
  std::string text_;
};

// A Level with options of its own.
template <class OwnConfig>
class LevelWith : public Level {
 public:
  using Config = OwnConfig;

  static Rules RulesFor(const Config& c) { return c.rooms().RulesWith(c, c.steps()); }

  LevelWith(const Config& config, Rng& rng)
      : Level(config, config.rooms(), RulesFor(config).max_steps, rng), config_(config) {}

 protected:
  const Config config_;
};

}  // namespace parallel_pool::minigrid::babyai
