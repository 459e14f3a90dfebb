// A Box2D world whose moving bodies hang together by motorized joints and collide with static
// bodies only: a lander and its legs, a walker, a car.
#pragma once

#include <Box2D/Box2D.h>
#include <Box2D/Dynamics/Contacts/b2ContactSolver.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/box2d/physics/island.h"

namespace parallel_pool::box2d {

inline constexpr double kFps = 50;  // steps per second
inline constexpr int kVelocityIterations = 180;

// Gymnasium computes in float64, and a number becomes float32 where it enters Box2D.
inline b2Vec2 Vec(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

b2PolygonShape Polygon(std::initializer_list<std::array<double, 2>> corners);
b2EdgeShape Edge(b2Vec2 from, b2Vec2 to);

// A joint that turns `b` about a point of `a`. The anchors are points of the bodies' own frames.
// The angle of the joint is 0 in the position in which the bodies are when it is made.
struct Motor {
  b2Body *a, *b;
  b2Vec2 anchor_a, anchor_b;
  double torque;        // the largest
  double speed;         // rad/s
  double lower, upper;  // angles in rad, lower < upper
};

class World {
 public:
  World(b2Vec2 gravity, b2ContactListener* listener);
  World(const World&) = delete;

  b2World& box2d() { return world_; }
  b2RevoluteJoint* Add(const Motor& motor);

  // Advances the world by 1 / kFps s. It ends in the state in which b2World::Step leaves it, bit
  // for bit, but does not visit the static bodies that touch nothing.
  void Step() {
    Begin();
    Island* const island = &island_;
    SolveVelocities({&island, 1}, kVelocityIterations);
    Finish();
  }

  // A step in parts, so that the islands of many worlds can be solved together: Begin, then
  // SolveVelocities of the island, then Finish.
  void Begin();
  Island& island() { return island_; }
  void Finish();

  // Saves and restores all that steps change. Load needs a world with the same bodies, made in the
  // same order, that has made no step.
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  template <class Visit>
  bool VisitMoving(const Visit& visit) const;
  void GatherIsland();
  void Gather(b2Body* seed);
  void IntegrateVelocities();
  void StartContacts();
  void StartJoints();
  void LoadJoint(const b2RevoluteJoint& joint, Island::Joint& to) const;
  void LoadContact(const b2ContactVelocityConstraint& contact, Island::Contact& to) const;
  void SolveHere();
  void StoreIsland();
  void IntegratePositions();
  bool SolvePositions();
  void MoveBodies();
  void Sleep(bool solved);
  void SolveImpacts();
  b2SolverData Data();

  b2World world_;
  b2TimeStep time_{};
  std::vector<b2Body*> bodies_;  // that move and are awake, in the order of b2World::Solve
  std::vector<b2RevoluteJoint*> joints_;
  std::vector<b2Contact*> contacts_;  // of solid bodies that touch
  // Of bodies_, then of all static bodies: these lie at the origin and have no velocity.
  std::array<b2Position, Island::kMaxBodies + 1> positions_;
  std::array<b2Velocity, Island::kMaxBodies + 1> velocities_;
  std::optional<b2ContactSolver> contact_solver_;
  Island island_;
};

// Steps many envs, each with Act(action), World& world() and Outcome Judge(action), and solves
// their worlds together.
template <class Chunk>
void StepTogether(Chunk& chunk) {
  std::array<Island*, kMaxChunk> islands;
  size_t size = 0;
  chunk.ForEach([&](int i) {
    chunk.env(i).Act(chunk.action(i));
    chunk.env(i).world().Begin();
    islands[size++] = &chunk.env(i).world().island();
  });
  SolveVelocities({islands.data(), size}, kVelocityIterations);
  chunk.ForEach([&](int i) {
    chunk.env(i).world().Finish();
    chunk.outcome(i) = chunk.env(i).Judge(chunk.action(i));
  });
}

}  // namespace parallel_pool::box2d
