// A Box2D world whose moving bodies hang together by motorized joints and collide with static
// bodies only: a lander and its legs, a walker, a car.
#pragma once

#include <Box2D/Box2D.h>

#include <array>
#include <initializer_list>
#include <optional>

namespace parallel_pool::box2d {

inline constexpr double kFps = 50;  // steps per second

// Gymnasium computes in float64, and a number becomes float32 where it enters Box2D.
inline b2Vec2 Vec(double x, double y) { return {static_cast<float>(x), static_cast<float>(y)}; }

b2PolygonShape Polygon(std::initializer_list<std::array<double, 2>> corners);
b2EdgeShape Edge(b2Vec2 from, b2Vec2 to);

// A joint that turns `b` about a point of `a`. The anchors are points of the bodies' own frames.
// The angle of the joint is 0 in the position in which the bodies are when it is made.
struct Motor {
  b2Body *a, *b;
  b2Vec2 anchor_a, anchor_b;
  double torque;        // the largest
  double speed;         // rad/s
  double lower, upper;  // angles in rad
};

class World {
 public:
  World(b2Vec2 gravity, b2ContactListener* listener);

  b2World& box2d() { return *world_; }
  b2RevoluteJoint* Add(const Motor& motor);

  // Destroys all bodies. A world that Clear emptied differs from a new one: its broad phase hands
  // out the same numbers in another order, and the order of contacts follows.
  void Clear();

  // Advances the world by 1 / kFps s.
  void Step() { world_->Step(static_cast<float>(1 / kFps), kVelocityIterations, 60); }

 private:
  static constexpr int kVelocityIterations = 180;

  std::optional<b2World> world_;
};

}  // namespace parallel_pool::box2d
