// World's step: the same arithmetic as b2World::Step, which the tests compare with.
#include <algorithm>
#include <cfloat>

#include "parallel_pool/envs/box2d/physics/world.h"

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
