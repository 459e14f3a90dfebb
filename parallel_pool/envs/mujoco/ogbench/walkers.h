// The walkers of OGBench's mazes. Each has
//
//   Walker(const Model&, Rng&)
//   void Draw();                      // a first state, as the base class of the reference draws it
//   void Settle(const float* action); // a step before an episode
//   void Forward();                   // computes what follows from changed positions
//   Simulation& Act(View<const AnyFloat> action)   // a step: holds an action
//   void Observe(Row&) const;         // from here on: the observation
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/dm_control/physics.h"
#include "parallel_pool/envs/mujoco/engine/advance.h"
#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco::ogbench {

inline constexpr int kSubSteps = 5;

enum class Legs { kNone, kFour, kFourAndBall };

// A point that is put a little further in each step, or an ant, perhaps with a ball.
template <Legs kLegs>
class Crawler {
 public:
  static constexpr bool kHasBall = kLegs == Legs::kFourAndBall;
  static constexpr bool kIsPoint = kLegs == Legs::kNone;
  static constexpr int kSettlingSteps = kHasBall ? 10 : 5;
  static constexpr double kNear = kIsPoint ? 1 : .5;  // m: the goal is reached
  static constexpr const char* kModel = kIsPoint ? "point.xml" : "ant.xml";
  // A model of one tree of bodies has no islands to find.
  static constexpr int kFlags = kHasBall ? 0 : mjDSBL_ISLAND;
  static constexpr unsigned kReads = kNothing;
  static int NumbersOf(const mjModel& model) {
    return static_cast<int>(kIsPoint ? model.nq : model.nq + model.nv);
  }

  Crawler(const Model& model, Rng& rng)
      : world_(model, kReads), rng_(rng), qpos_(model->nq), qvel_(model->nv) {}

  const Simulation& simulation() const { return world_; }
  mjData& data() { return world_.data(); }
  auto Saved() { return std::tie(world_); }

  void Draw(double noise) {
    for (size_t i = 0; i < qpos_.size(); ++i) {
      qpos_[i] = world_.model().qpos0[i] + rng_.Uniform(-noise, noise);
    }
    for (double& speed : qvel_) speed = noise * Normal(rng_);
    world_.Begin(qpos_.data(), qvel_.data());
  }
  void Forward() { world_.Forward(); }

  Simulation& Act(View<const AnyFloat> action) {
    action.Visit([this](auto numbers) { Hold(numbers); });
    return world_;
  }
  void Settle(const float* action) {
    Hold(View<const float>{action, static_cast<size_t>(world_.model().nu)});
    AdvanceAlone(world_);
  }

  void Observe(Row& row, const double* qpos, const double* qvel) const {
    row.Add(qpos, static_cast<int>(qpos_.size()));
    if (!kIsPoint) row.Add(qvel, static_cast<int>(qvel_.size()));
  }

 private:
  template <class T>
  void Hold(View<const T> action) {
    mjData& data = world_.data();
    if constexpr (kIsPoint) {
      for (int i = 0; i < 2; ++i) {
        data.qpos[i] += static_cast<T>(.2) * action[i];  // a product of the action's type
        data.qvel[i] = 0;
      }
    } else {
      std::copy(action.begin(), action.end(), data.ctrl);
    }
    world_.Hold(kSubSteps);
  }

  Simulation world_;
  Rng& rng_;
  std::vector<double> qpos_, qvel_;  // of Draw
};

// dm_control's humanoid.
class Humanoid {
 public:
  static constexpr bool kHasBall = false, kIsPoint = false;
  static constexpr int kSettlingSteps = 40;
  static constexpr double kNear = .5;
  static constexpr const char* kModel = "humanoid.xml";
  static constexpr int kFlags = 0;  // those of Physics
  static constexpr unsigned kReads = kPlaces | kAxes | kSensors;
  static int NumbersOf(const mjModel& model) {
    return static_cast<int>(2 + (model.nq - kRoot) + 1 + 12 + 3 + 3 + model.nv);
  }

  Humanoid(const Model& model, Rng& rng) : physics_(model, true, kReads), rng_(rng) {}

  const Simulation& simulation() const { return physics_.simulation(); }
  mjData& data() { return physics_.data(); }
  auto Saved() { return std::tie(physics_); }

  // Draws until nothing touches. Each try begins with the forces of the one before.
  void Draw(double noise) {
    const mjModel& model = physics_.model();
    mjData& data = physics_.data();
    mj_resetData(&model, &data);
    do {
      double q[4];
      for (double& part : q) part = rng_.Random();
      const double length = Norm(q, 4);
      for (int i = 0; i < 4; ++i) data.qpos[3 + i] = q[i] / length;
      for (int i = 0; i < model.nv; ++i) data.qvel[i] = noise * Normal(rng_);
      for (int joint = 1; joint < model.njnt; ++joint) {
        const mjtNum* const range = model.jnt_range + 2 * joint;
        data.qpos[kRoot - 1 + joint] = rng_.Uniform(range[0], range[1]);
      }
      physics_.Forward();
    } while (data.ncon > 0);
  }
  void Forward() { physics_.Forward(); }

  Simulation& Act(View<const AnyFloat> action) {
    action.CopyTo(physics_.data().ctrl);
    return physics_.Hold(kSubSteps);
  }
  void Settle(const float* action) {
    std::copy_n(action, physics_.model().nu, physics_.data().ctrl);
    AdvanceAlone(physics_.Hold(kSubSteps));
  }

  void Observe(Row& row, const double* qpos, const double* qvel) const {
    constexpr int kTorso = 1, kHead = 2, kLimbs[] = {16, 10, 13, 7};
    const mjData& data = physics_.data();
    const mjtNum *const torso = data.xpos + 3 * kTorso, *const axes = data.xmat + 9 * kTorso;
    row.Add(qpos, 2).Add(qpos + kRoot, static_cast<int>(physics_.model().nq) - kRoot);
    row.Add(data.xpos + 3 * kHead + 2, 1);
    for (const int limb : kLimbs) {
      double to_limb[3], seen[3];
      for (int i = 0; i < 3; ++i) to_limb[i] = data.xpos[3 * limb + i] - torso[i];
      DotMatrix(to_limb, axes, seen);
      row.Add(seen, 3);
    }
    row.Add(axes + 6, 3).Add(data.sensordata, 3);
    row.Add(qvel, static_cast<int>(physics_.model().nv));
  }

 private:
  static constexpr int kRoot = 7;  // numbers of qpos that place the root

  dm_control::Physics physics_;
  Rng& rng_;
};

}  // namespace parallel_pool::mujoco::ogbench
