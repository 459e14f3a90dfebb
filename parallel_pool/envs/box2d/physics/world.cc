#include "parallel_pool/envs/box2d/physics/world.h"

namespace parallel_pool::box2d {

b2PolygonShape Polygon(std::initializer_list<std::array<double, 2>> corners) {
  b2Vec2 points[b2_maxPolygonVertices];
  int n = 0;
  for (const auto& [x, y] : corners) points[n++] = Vec(x, y);
  b2PolygonShape shape;
  shape.Set(points, n);
  return shape;
}

b2EdgeShape Edge(b2Vec2 from, b2Vec2 to) {
  b2EdgeShape shape;
  shape.Set(from, to);
  return shape;
}

World::World(b2Vec2 gravity, b2ContactListener* listener) : world_(gravity) {
  world_.SetContactListener(listener);
}

b2RevoluteJoint* World::Add(const Motor& motor) {
  b2RevoluteJointDef joint;
  joint.bodyA = motor.a;
  joint.bodyB = motor.b;
  joint.localAnchorA = motor.anchor_a;
  joint.localAnchorB = motor.anchor_b;
  joint.enableMotor = joint.enableLimit = true;
  joint.maxMotorTorque = static_cast<float>(motor.torque);
  joint.motorSpeed = static_cast<float>(motor.speed);
  joint.lowerAngle = static_cast<float>(motor.lower);
  joint.upperAngle = static_cast<float>(motor.upper);
  // pybox2d sets it so, in float64.
  joint.referenceAngle =
      static_cast<float>(static_cast<double>(motor.b->GetAngle()) - motor.a->GetAngle());
  return static_cast<b2RevoluteJoint*>(world_.CreateJoint(&joint));
}

}  // namespace parallel_pool::box2d
