// World's step: the same arithmetic as b2World::Step, which the tests compare with.
#include <algorithm>

#include "parallel_pool/envs/box2d/world.h"

namespace parallel_pool::box2d {
namespace {

constexpr float kStep = static_cast<float>(1 / kFps);  // s
constexpr int kPositionIterations = 60;

}  // namespace

b2SolverData World::Data() {
  b2SolverData data;
  data.step = time_;
  data.positions = positions_.data();
  data.velocities = velocities_.data();
  return data;
}

void World::Begin() {
  if (world_.m_flags & b2World::e_newFixture) {
    world_.m_contactManager.FindNewContacts();
    world_.m_flags &= ~b2World::e_newFixture;
  }
  time_ = {.dt = kStep,
           .inv_dt = 1.0f / kStep,
           .dtRatio = world_.m_inv_dt0 * kStep,
           .velocityIterations = kVelocityIterations,
           .positionIterations = kPositionIterations,
           .warmStarting = true};
  world_.m_contactManager.Collide();
  GatherIsland();
  IntegrateVelocities();
  StartContacts();
  StartJoints();
}

// Joints hold all moving bodies together, so there is one island, or none if all are asleep.
void World::GatherIsland() {
  bodies_.clear();
  joints_.clear();
  contacts_.clear();
  for (b2Body* body = world_.m_bodyList; body != nullptr; body = body->m_next) {
    if (body->m_type == b2_dynamicBody && body->IsAwake()) return Gather(body);
  }
}

void World::Gather(b2Body* seed) {
  std::array<b2Body*, Island::kMaxBodies> stack{seed};
  seed->m_flags |= b2Body::e_islandFlag;
  for (int size = 1; size > 0;) {
    b2Body* const body = stack[--size];
    body->SetAwake(true);
    body->m_islandIndex = static_cast<int>(bodies_.size());
    bodies_.push_back(body);
    for (b2ContactEdge* edge = body->m_contactList; edge != nullptr; edge = edge->next) {
      b2Contact& contact = *edge->contact;
      const bool sensor = contact.m_fixtureA->m_isSensor || contact.m_fixtureB->m_isSensor;
      if (contact.IsEnabled() && contact.IsTouching() && !sensor) contacts_.push_back(&contact);
    }
    for (b2JointEdge* edge = body->m_jointList; edge != nullptr; edge = edge->next) {
      if (edge->joint->m_islandFlag) continue;
      edge->joint->m_islandFlag = true;
      joints_.push_back(static_cast<b2RevoluteJoint*>(edge->joint));
      if (edge->other->m_flags & b2Body::e_islandFlag) continue;
      edge->other->m_flags |= b2Body::e_islandFlag;
      stack[size++] = edge->other;
    }
  }
  for (b2Body* body : bodies_) body->m_flags &= ~b2Body::e_islandFlag;
  for (b2RevoluteJoint* joint : joints_) joint->m_islandFlag = false;
}

void World::IntegrateVelocities() {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    b2Body& body = *bodies_[i];
    body.m_sweep.c0 = body.m_sweep.c;
    body.m_sweep.a0 = body.m_sweep.a;
    positions_[i] = {body.m_sweep.c, body.m_sweep.a};
    velocities_[i].v = body.m_linearVelocity + kStep * (body.m_gravityScale * world_.m_gravity +
                                                        body.m_invMass * body.m_force);
    velocities_[i].w = body.m_angularVelocity + kStep * body.m_invI * body.m_torque;
  }
  positions_[bodies_.size()] = {{0, 0}, 0};
  velocities_[bodies_.size()] = {{0, 0}, 0};
}

void World::StartContacts() {
  for (b2Contact* contact : contacts_) {
    for (b2Body* body : {contact->m_fixtureA->m_body, contact->m_fixtureB->m_body}) {
      if (body->m_type == b2_staticBody) body->m_islandIndex = static_cast<int>(bodies_.size());
    }
  }
  b2ContactSolverDef solver;
  solver.step = time_;
  solver.contacts = contacts_.data();
  solver.count = static_cast<int>(contacts_.size());
  solver.positions = positions_.data();
  solver.velocities = velocities_.data();
  solver.allocator = &world_.m_stackAllocator;
  contact_solver_.emplace(&solver);
  contact_solver_->InitializeVelocityConstraints();
  contact_solver_->WarmStart();
}

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
                    .max_motor_impulse = kStep * joint.m_maxMotorTorque,
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

void World::Finish() {
  StoreIsland();
  contact_solver_->StoreImpulses();
  IntegratePositions();
  const bool solved = SolvePositions();
  contact_solver_.reset();
  MoveBodies();
  Sleep(solved);
  for (b2Body* body : bodies_) body->SynchronizeFixtures();
  world_.m_contactManager.FindNewContacts();
  SolveImpacts();
  world_.m_inv_dt0 = time_.inv_dt;
  for (b2Body* body : bodies_) {
    body->m_force.SetZero();
    body->m_torque = 0;
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

void World::IntegratePositions() {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    auto& [v, w] = velocities_[i];
    const b2Vec2 way = kStep * v;
    if (b2Dot(way, way) > b2_maxTranslationSquared) v *= b2_maxTranslation / way.Length();
    const float turn = kStep * w;
    if (turn * turn > b2_maxRotationSquared) w *= b2_maxRotation / b2Abs(turn);
    positions_[i].c += kStep * v;
    positions_[i].a += kStep * w;
  }
}

// Whether the errors of all positions have become small.
bool World::SolvePositions() {
  const b2SolverData data = Data();
  for (int i = 0; i < kPositionIterations; ++i) {
    bool solved = contact_solver_->SolvePositionConstraints();
    for (b2RevoluteJoint* joint : joints_) solved &= joint->SolvePositionConstraints(data);
    if (solved) return true;
  }
  return false;
}

void World::MoveBodies() {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    b2Body& body = *bodies_[i];
    body.m_sweep.c = positions_[i].c;
    body.m_sweep.a = positions_[i].a;
    body.m_linearVelocity = velocities_[i].v;
    body.m_angularVelocity = velocities_[i].w;
    body.SynchronizeTransform();
  }
}

// Bodies that have been slow for long enough fall asleep, all at once.
void World::Sleep(bool solved) {
  float least = b2_maxFloat;
  for (b2Body* body : bodies_) {
    const float turn = body->m_angularVelocity;
    const b2Vec2 speed = body->m_linearVelocity;
    const bool moves = turn * turn > b2_angularSleepTolerance * b2_angularSleepTolerance ||
                       b2Dot(speed, speed) > b2_linearSleepTolerance * b2_linearSleepTolerance;
    body->m_sleepTime = moves ? 0 : body->m_sleepTime + kStep;
    least = std::min(least, body->m_sleepTime);
  }
  if (bodies_.empty() || least < b2_timeToSleep || !solved) return;
  for (b2Body* body : bodies_) body->SetAwake(false);
}

// Stops bodies that would pass through the ground within this step. b2World::SolveTOI first clears
// marks on all bodies; here only bodies with contacts can have marks.
void World::SolveImpacts() {
  if (world_.m_contactManager.m_contactList == nullptr) return;
  const auto clear = [&] {
    for (b2Body* body : bodies_) body->m_sweep.alpha0 = 0;
    for (b2Contact* c = world_.m_contactManager.m_contactList; c != nullptr; c = c->m_next) {
      c->m_flags &= ~(b2Contact::e_toiFlag | b2Contact::e_islandFlag);
      c->m_toiCount = 0;
      c->m_toi = 1;
      for (b2Body* body : {c->m_fixtureA->m_body, c->m_fixtureB->m_body}) {
        body->m_flags &= ~b2Body::e_islandFlag;
        body->m_sweep.alpha0 = 0;
      }
    }
  };
  clear();
  world_.m_stepComplete = false;  // which would clear the marks of all bodies
  world_.SolveTOI(time_);
  clear();
}

}  // namespace parallel_pool::box2d
