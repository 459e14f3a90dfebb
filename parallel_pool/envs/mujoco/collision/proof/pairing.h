// For tests: a world with the own search for contacts next to one of libmujoco alone.
#pragma once

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/envs/mujoco/collision/collider.h"
#include "parallel_pool/envs/mujoco/engine/model_pairs.h"

namespace parallel_pool::mujoco::collision {

using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

inline Data MakeData(const mjModel& m) {
  return {mj_makeData(&m), &mj_deleteData};
}

// Two worlds of one model: one with the own search, one by libmujoco alone.
class Pairing {
 public:
  explicit Pairing(Model model, uint64_t seed = 1)
      : m_(std::move(model)), own_(MakeData(*m_)), theirs_(MakeData(*m_)), random_(seed) {
    std::string why_not;
    const auto pairs = PairsOf(m_, &why_not);
    EXPECT_EQ(why_not, "");
    if (pairs != nullptr) collider_ = std::make_unique<Collider>(pairs);
    Reset();
  }

  double Draw() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  void Reset() {
    mj_resetData(m_.get(), own_.get());
    if (m_->nkey > 0) std::copy_n(m_->key_qpos, m_->nq, own_->qpos);
    for (int i = 0; i < m_->nv; ++i) own_->qvel[i] = 0.1 * Draw();
    Copy();
  }

  // Random controls, and those that move mocap bodies.
  void Act() {
    for (int i = 0; i < m_->nu; ++i) {
      const bool has_range = m_->actuator_ctrllimited[i] != 0;
      const double low = has_range ? m_->actuator_ctrlrange[2 * i] : -1;
      const double high = has_range ? m_->actuator_ctrlrange[2 * i + 1] : 1;
      own_->ctrl[i] = theirs_->ctrl[i] = (low + high) / 2 + (high - low) / 2 * Draw();
    }
    for (int i = 0; i < 3 * m_->nmocap; ++i) {
      own_->mocap_pos[i] = theirs_->mocap_pos[i] = own_->mocap_pos[i] + 0.02 * Draw();
    }
  }

  void Step() {
    Step1(*m_, *own_, *collider_);
    mj_step2(m_.get(), own_.get());
    mj_step(m_.get(), theirs_.get());
    Compare();
  }

  // Moves each joint by up to `size` rad or m, and compares the contacts there.
  void Shake(double size) {
    std::vector<double> moves(m_->nv);
    for (double& move : moves) move = size * Draw();
    mj_integratePos(m_.get(), own_->qpos, moves.data(), 1);
    FindContacts();
  }

  // Compares the contacts at the positions of the own world.
  void FindContacts() {
    Copy();
    for (mjData* const d : {own_.get(), theirs_.get()}) {
      mj_kinematics(m_.get(), d);
      mj_comPos(m_.get(), d);
    }
    collider_->Collide(*m_, *own_);
    mj_collision(m_.get(), theirs_.get());
    Compare();
  }

  // Plays steps, and shakes the world in between.
  void Play(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (i % 5 == 0) Act();
      Step();
      if (i % 100 == 99) {
        for (const double size : {1e-6, 1e-4, 1e-2, 1.0}) {
          for (int k = 0; k < 5; ++k) Shake(size);
        }
        Reset();
      }
    }
  }

  const mjModel& model() const { return *m_; }
  mjData& own() { return *own_; }
  mjData& theirs() { return *theirs_; }
  Collider& collider() { return *collider_; }
  const std::string& first() const { return first_; }
  int64_t contacts() const { return contacts_; }

 private:
  void Copy() { mj_copyData(theirs_.get(), m_.get(), own_.get()); }

  template <class T>
  void Same(const char* name, const T* own, const T* theirs, int64_t n) {
    // Bytes: NaN equals NaN, and zeros have signs.
    if (n == 0 || !first_.empty() || std::memcmp(own, theirs, n * sizeof(T)) == 0) return;
    const auto [a, b] = std::mismatch(own, own + n, theirs);
    first_ = std::string(name) + "[" + std::to_string(a - own) + "] at time " +
             std::to_string(theirs_->time) + " is " + std::to_string(*a) + ", not " +
             std::to_string(*b);
  }

  void Compare() {
    Same("ncon", &own_->ncon, &theirs_->ncon, 1);
    const int n = std::min<int>(own_->ncon, theirs_->ncon);
    for (int i = 0; i < n; ++i) {
      const mjContact &a = own_->contact[i], &b = theirs_->contact[i];
      Same("contact.geom", a.geom, b.geom, 2);
      Same("contact.dist", &a.dist, &b.dist, 1);
      Same("contact.pos", a.pos, b.pos, 3);
      Same("contact.frame", a.frame, b.frame, 9);
      Same("contact.friction", a.friction, b.friction, 5);
      Same("contact.solref", a.solref, b.solref, mjNREF);
      Same("contact.solreffriction", a.solreffriction, b.solreffriction, mjNREF);
      Same("contact.solimp", a.solimp, b.solimp, mjNIMP);
      Same("contact.includemargin", &a.includemargin, &b.includemargin, 1);
      Same("contact.dim", &a.dim, &b.dim, 1);
      Same("contact.exclude", &a.exclude, &b.exclude, 1);
      Same("contact.efc_address", &a.efc_address, &b.efc_address, 1);
      Same("contact.mu", &a.mu, &b.mu, 1);
      Same("contact.H", a.H, b.H, 36);
      Same("contact.flex", a.flex, b.flex, 2);
      Same("contact.elem", a.elem, b.elem, 2);
      Same("contact.vert", a.vert, b.vert, 2);
    }
    contacts_ += n;
    Same("nefc", &own_->nefc, &theirs_->nefc, 1);
    if (first_.empty()) Same("efc_force", own_->efc_force, theirs_->efc_force, own_->nefc);
    Same("time", &own_->time, &theirs_->time, 1);
    // All that a saved state has: positions, speeds, forces, sensors, the warm start.
    Same("buffer", static_cast<const double*>(own_->buffer),
         static_cast<const double*>(theirs_->buffer), own_->nbuffer / sizeof(double));
  }

  const Model m_;
  const Data own_, theirs_;
  std::mt19937_64 random_;
  std::unique_ptr<Collider> collider_;
  int64_t contacts_ = 0;
  std::string first_;  // the first difference
};

}  // namespace parallel_pool::mujoco::collision
