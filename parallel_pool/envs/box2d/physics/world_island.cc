// The velocity constraints of a World: from Box2D's joints and contacts into an Island, and back.
#include <algorithm>
#include <array>

#include "parallel_pool/envs/box2d/physics/world.h"

namespace parallel_pool::box2d {

// Prepares the joints and copies all into the island.
void World::StartJoints() {
  for (b2RevoluteJoint* joint : joints_) joint->InitVelocityConstraints(Data());
  island_.num_bodies = static_cast<int>(bodies_.size());
  island_.num_joints = static_cast<int>(joints_.size());
  island_.num_contacts = static_cast<int>(contacts_.size());
  std::array<int, Island::kMaxBodies + 1> touching{};
  for (int i = 0; i < contact_solver_->m_count; ++i) {
    const b2ContactVelocityConstraint& contact = contact_solver_->m_velocityConstraints[i];
    const int body = std::min(contact.indexA, contact.indexB);
    if (i == Island::kMaxContacts || ++touching[body] > Island::kMaxTouching) return SolveHere();
    LoadContact(contact, island_.contacts[i]);
  }
  for (size_t i = 0; i < joints_.size(); ++i) LoadJoint(*joints_[i], island_.joints[i]);
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const auto& [v, w] = velocities_[i];
    island_.bodies[i] = {v.x, v.y, w, bodies_[i]->m_invMass, bodies_[i]->m_invI};
  }
}

void World::LoadJoint(const b2RevoluteJoint& joint, Island::Joint& to) const {
  const b2Mat33& mass = joint.m_mass;
  to = {.a = joint.m_indexA,
        .b = joint.m_indexB,
        .numbers = {.a_x = joint.m_rA.x,
                    .a_y = joint.m_rA.y,
                    .b_x = joint.m_rB.x,
                    .b_y = joint.m_rB.y,
                    .xx = mass.ex.x,
                    .xy = mass.ex.y,
                    .xz = mass.ex.z,
                    .yx = mass.ey.x,
                    .yy = mass.ey.y,
                    .yz = mass.ey.z,
                    .zx = mass.ez.x,
                    .zy = mass.ez.y,
                    .zz = mass.ez.z,
                    .motor_mass = joint.m_motorMass,
                    .motor_speed = joint.m_motorSpeed,
                    .max_motor_impulse = time_.dt * joint.m_maxMotorTorque,
                    .at_lower = joint.m_limitState == e_atLowerLimit ? 1.0f : 0.0f,
                    .at_upper = joint.m_limitState == e_atUpperLimit ? 1.0f : 0.0f,
                    .impulse_x = joint.m_impulse.x,
                    .impulse_y = joint.m_impulse.y,
                    .impulse_z = joint.m_impulse.z,
                    .motor_impulse = joint.m_motorImpulse}};
}

// Box2D's normal points from body A to body B. If the body that moves is A, all signs turn.
void World::LoadContact(const b2ContactVelocityConstraint& contact, Island::Contact& to) const {
  const bool is_b = contact.indexB < contact.indexA;
  const auto point = [&](int i) -> PointOf<float> {
    if (i >= contact.pointCount) return {};
    const b2VelocityConstraintPoint& p = contact.points[i];
    const b2Vec2 at = is_b ? p.rB : p.rA;
    return {
        at.x, at.y, p.normalMass, p.tangentMass, p.velocityBias, p.normalImpulse, p.tangentImpulse};
  };
  const b2Mat22 &k = contact.K, &mass = contact.normalMass;
  to = {.body = is_b ? contact.indexB : contact.indexA,
        .numbers = {.normal_x = is_b ? contact.normal.x : -contact.normal.x,
                    .normal_y = is_b ? contact.normal.y : -contact.normal.y,
                    .friction = contact.friction,
                    .has_two = contact.pointCount == 2 ? 1.0f : 0.0f,
                    .first = point(0),
                    .second = point(1),
                    .xx = k.ex.x,
                    .xy = k.ex.y,
                    .yx = k.ey.x,
                    .yy = k.ey.y,
                    .mass_xx = mass.ex.x,
                    .mass_xy = mass.ex.y,
                    .mass_yx = mass.ey.x,
                    .mass_yy = mass.ey.y}};
}

// Solves an island that has more contacts than an Island holds, by Box2D's own solver.
void World::SolveHere() {
  island_.num_bodies = island_.num_joints = island_.num_contacts = 0;
  const b2SolverData data = Data();
  for (int i = 0; i < kVelocityIterations; ++i) {
    for (b2RevoluteJoint* joint : joints_) joint->SolveVelocityConstraints(data);
    contact_solver_->SolveVelocityConstraints();
  }
}

void World::StoreIsland() {
  for (int i = 0; i < island_.num_bodies; ++i) {
    const BodyOf<float>& body = island_.bodies[i];
    velocities_[i] = {{body.x, body.y}, body.turn};
  }
  for (int i = 0; i < island_.num_joints; ++i) {
    const JointOf<float>& joint = island_.joints[i].numbers;
    joints_[i]->m_impulse = {joint.impulse_x, joint.impulse_y, joint.impulse_z};
    joints_[i]->m_motorImpulse = joint.motor_impulse;
  }
  for (int i = 0; i < island_.num_contacts; ++i) {
    const ContactOf<float>& contact = island_.contacts[i].numbers;
    b2ContactVelocityConstraint& to = contact_solver_->m_velocityConstraints[i];
    for (int j = 0; j < to.pointCount; ++j) {
      const PointOf<float>& point = j == 0 ? contact.first : contact.second;
      to.points[j].normalImpulse = point.normal_impulse;
      to.points[j].tangentImpulse = point.tangent_impulse;
    }
  }
}

}  // namespace parallel_pool::box2d
