// Objects of random kind and color, among which missions choose.
#pragma once

#include <algorithm>
#include <array>

#include "parallel_pool/envs/minigrid/world.h"

namespace parallel_pool::minigrid {

inline constexpr std::array<Kind, 3> kKeyBallBox = {Kind::kKey, Kind::kBall, Kind::kBox};
inline constexpr int kDistinctLooks = 18;  // of keys, balls and boxes

// The object's number among all colors and the `kinds` first of kKeyBallBox.
constexpr int NumberOf(Look look, int kinds = 3) {
  const int kind = static_cast<int>(KindOf(look)) - static_cast<int>(Kind::kKey);
  return static_cast<int>(ColorOf(look)) * kinds + kind;
}

using Objects = List<Cell, kDistinctLooks>;

// Places `count` objects of different looks on random places; with `are_apart`, none next to
// another.
inline Objects PlaceDistinct(World& world, int count, bool are_apart = false) {
  Objects objects;
  while (static_cast<int>(objects.size()) < count) {
    const Kind kind = world.RandElement(kKeyBallBox);
    const Look look = LookOf(kind, world.RandColor());
    if (std::ranges::any_of(objects, [&](Cell o) { return o.look == look; })) continue;
    const Cell object = world.New(kind, ColorOf(look));
    const auto is_near_one = [&](Point p) {
      const auto is_near = [&](Cell o) { return AreNear(p, world.PlaceOf(o)); };
      return are_apart && std::ranges::any_of(objects, is_near);
    };
    world.Put(object, world.FreePlace(world.whole(), World::kMostTries, is_near_one));
    objects.Add(object);
  }
  return objects;
}

}  // namespace parallel_pool::minigrid
