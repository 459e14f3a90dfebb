// Contacts with the ground, as Gymnasium's contact detectors of the lander and the walker see it.
#pragma once

#include <Box2D/Box2D.h>

#include <array>

namespace parallel_pool::box2d {

struct Touch final : b2ContactListener {
  b2Body* hull = nullptr;
  std::array<b2Body*, 2> feet{};
  bool hull_has_touched = false;
  std::array<bool, 2> foot_touches{};

  void BeginContact(b2Contact* contact) override {
    if (IsPart(*contact, hull)) hull_has_touched = true;
    for (int i = 0; i < 2; ++i) {
      if (IsPart(*contact, feet[i])) foot_touches[i] = true;
    }
  }
  // The end of one of two contacts of a foot clears its flag, as in Gymnasium.
  void EndContact(b2Contact* contact) override {
    for (int i = 0; i < 2; ++i) {
      if (IsPart(*contact, feet[i])) foot_touches[i] = false;
    }
  }

 private:
  static bool IsPart(b2Contact& contact, const b2Body* body) {
    return contact.GetFixtureA()->GetBody() == body || contact.GetFixtureB()->GetBody() == body;
  }
};

}  // namespace parallel_pool::box2d
