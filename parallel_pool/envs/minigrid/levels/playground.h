// Nine rooms with doors and objects; there is no mission and no reward.
#pragma once

#include "parallel_pool/envs/minigrid/levels/objects.h"
#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class Playground : public World {
 public:
  struct Config : LevelConfig {};
  static Options<Config> Describe() { return DescribeLevel<Config>(); }
  static Rules RulesFor(const Config& c) { return RulesOf(c, kSize, kSize, 100); }

  Playground(const Config& config, Rng& rng) : World(RulesFor(config), rng) {}

  void Generate() {
    Walls(whole());
    constexpr int kRoom = kSize / 3;  // from wall to wall
    for (int top = 0; top < 3 * kRoom; top += kRoom) {
      for (int left = 0; left < 3 * kRoom; left += kRoom) {
        const int right = left + kRoom, bottom = top + kRoom;
        if (left < 2 * kRoom) {
          VerticalLine({right, top}, kRoom);
          const Point door = {right, RandInt(top + 1, bottom - 1)};
          Put(New(Kind::kClosedDoor, RandColor()), door);
        }
        if (top < 2 * kRoom) {
          HorizontalLine({left, bottom}, kRoom);
          const Point door = {RandInt(left + 1, right - 1), bottom};
          Put(New(Kind::kClosedDoor, RandColor()), door);
        }
      }
    }
    PlaceAgent();
    for (int i = 0; i < 12; ++i) {
      const Kind kind = RandElement(kKeyBallBox);
      Place(New(kind, RandColor()));
    }
    SetMission({});
  }

 private:
  static constexpr int kSize = 19;
};

}  // namespace parallel_pool::minigrid
