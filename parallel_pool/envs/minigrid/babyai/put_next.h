// BabyAI's levels to put an object next to another.
#pragma once

#include <utility>

#include "parallel_pool/envs/minigrid/babyai/level.h"

namespace parallel_pool::minigrid::babyai {

struct PutNextLocalConfig : RoomsConfig {
  int32_t num_objs = 8;

  Rooms rooms() const { return {room_size, 1, 1}; }
};

class PutNextLocal : public LevelWith<PutNextLocalConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    return DescribeOwn<Config>(
        RoomSize<Config>(), {Option<&Config::num_objs>("num_objs", "objects, each of another look",
                                                       {.min = 2, .max = 18})});
  }

  void Generate() {
    GenerateWith([&] {
      PlaceAgentAnywhere();
      const Added objects = AddDistractors(config_.num_objs);
      RejectUnlessReachable();
      const Added two = RandSubset(objects, 2);
      return PutNext(Like(two[0]), Like(two[1]));
    });
  }
};

struct PutNextConfig : RoomsConfig {
  int32_t objs_per_room = 4;
  bool start_carrying = false;

  Rooms rooms() const { return {room_size, 1, 2}; }
  int steps() const { return 8 * room_size * room_size; }
};

template <class Config>
Options<Config> ObjectsPerRoom(int fewest) {
  return {Option<&Config::objs_per_room>("objs_per_room",
                                         "objects of each half, each of another look",
                                         {.min = static_cast<double>(fewest), .max = 9})};
}

// The reference's PutNext: from one half of a room to the other.
class PutNextRoom : public LevelWith<PutNextConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    Options<Config> own = ObjectsPerRoom<Config>(1);
    own.push_back(Option<&Config::start_carrying>(
        "start_carrying", "the agent carries the object from the first step on"));
    return DescribeOwn<Config>(RoomSize<Config>(), own);
  }

  void Generate() {
    GenerateWith([&] {
      PlaceAgentIn({0, 0});
      const Added left = AddDistractors(config_.objs_per_room, true, RoomAt{0, 0});
      const Added right = AddDistractors(config_.objs_per_room, true, RoomAt{1, 0});
      RemoveWall({0, 0}, 0);
      Cell moved = RandElement(left), fixed = RandElement(right);
      if (RandBool()) std::swap(moved, fixed);
      to_carry_ = config_.start_carrying ? moved : kEmpty;
      return PutNext(Like(moved), Like(fixed));
    });
  }

  // The observation of a reset shows the object on the floor, as the reference's does.
  Outcome Act(int move) {
    if (!to_carry_.is_empty()) {
      Set(PlaceOf(to_carry_), kEmpty);
      SetCarried(std::exchange(to_carry_, kEmpty));
    }
    return Level::Act(move);
  }

  auto Saved() { return std::tuple_cat(Level::Saved(), std::tie(to_carry_)); }

 private:
  Cell to_carry_ = kEmpty;  // from the next step on
};

struct MoveTwoAcrossConfig : RoomsConfig {
  int32_t objs_per_room = 2;

  Rooms rooms() const { return {room_size, 1, 2}; }
  int steps() const { return 16 * room_size * room_size; }
};

// Two objects, each from its half of a room to the other.
class MoveTwoAcross : public LevelWith<MoveTwoAcrossConfig> {
 public:
  using LevelWith::LevelWith;
  static Options<Config> Describe() {
    return DescribeOwn<Config>(RoomSize<Config>(), ObjectsPerRoom<Config>(2));
  }

  void Generate() {
    GenerateWith([&] {
      PlaceAgentIn({0, 0});
      const Added all_left = AddDistractors(config_.objs_per_room, true, RoomAt{0, 0});
      const Added all_right = AddDistractors(config_.objs_per_room, true, RoomAt{1, 0});
      RemoveWall({0, 0}, 0);
      const Added left = RandSubset(all_left, 2), right = RandSubset(all_right, 2);
      return Then(PutNext(Like(left[0]), Like(right[0])), PutNext(Like(right[1]), Like(left[1])));
    });
  }
};

}  // namespace parallel_pool::minigrid::babyai
