// Linear quadratic regulator: bring a chain of masses and springs to rest with little effort. Each
// env has springs of its own, which its seed draws.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

class Lqr {
 public:
  struct Config { int bodies = 2; };  // 2 or 6
  struct State { View<double> position, velocity; };

  static constexpr double kTimeLimit = std::numeric_limits<double>::infinity();
  static constexpr int kSubSteps = 1;
  static constexpr unsigned kReads = kNothing;
  static const char* ModelFile(const Config& config) {
    return config.bodies == 2 ? "lqr_2_1.xml" : "lqr_6_2.xml";
  }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel&) {
    return {Array<&State::position>("position", AnyNumbers(config.bodies)),
            Array<&State::velocity>("velocity", AnyNumbers(config.bodies))};
  }

  Lqr(const Config& config, Physics& physics)
      : bodies_(config.bodies),
        stiffness_(physics.Edit(&mjModel::jnt_stiffness, physics.model().njnt)) {}

  // dm_control draws the springs and dampers when it makes the model. There is no damping, but
  // drawing it takes a number.
  void DrawModel(RandomState& random) {
    for (int i = 0; i < bodies_; ++i) {
      stiffness_[i] = random.Uniform(15, 25);
      random.Uniform(0, 0);
    }
  }

  void Begin(Physics& physics, RandomState& random) {
    mjtNum* const qpos = physics.data().qpos;
    for (int i = 0; i < bodies_; ++i) qpos[i] = random.Normal();
    const double length = Norm(qpos, bodies_);
    for (int i = 0; i < bodies_; ++i) qpos[i] = std::sqrt(2.0) * qpos[i] / length;
  }
  double Reward(const Physics& physics) const {
    const mjData& data = physics.data();
    const size_t controls = physics.model().nu;
    const double state_cost = 0.5 * Dot(data.qpos, data.qpos, bodies_);
    const double control_cost = 0.5 * Dot(data.ctrl, data.ctrl, controls);
    return 1 - (state_cost + control_cost * 0.1);
  }
  // An episode ends when nothing moves any more.
  bool IsTerminated(const Physics& physics) const {
    double state[12];
    Row(View<double>{state, 12})
        .Add(physics.data().qpos, bodies_)
        .Add(physics.data().qvel, bodies_);
    return Norm(state, 2 * bodies_) < 1e-6;
  }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.position).Add(physics.data().qpos, bodies_);
    Row(state.velocity).Add(physics.data().qvel, bodies_);
  }

 private:
  const int bodies_;
  mjtNum* const stiffness_;  // of the springs, in the model
};

}  // namespace parallel_pool::mujoco::dm_control
