// Pendulum: swing a pole up and hold it, with a motor that is too weak to lift it.
#pragma once

#include <cmath>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class Pendulum {
 public:
  struct Config {};
  struct State { View<double> orientation, velocity; };  // the pole's zz and xz; rad/s

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 1;
  static constexpr unsigned kReads = kAxes;
  static const char* ModelFile(const Config&) { return "pendulum.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::orientation>("orientation", AnyNumbers(2)),
            Array<&State::velocity>("velocity", AnyNumbers(1))};
  }

  Pendulum(const Config&, Physics& physics) : pole_(physics.BodyMatrix("pole")) {}

  void Begin(Physics& physics, RandomState& random) {
    physics.data().qpos[0] = random.Uniform(-kPi, kPi);
  }
  double Reward(const Physics&) const {
    static const double kUpright = std::cos(8 * (kPi / 180));
    return Tolerance(pole_[kZZ], {kUpright, 1});
  }
  void Observe(const Physics& physics, const State& state) const {
    state.orientation.Assign(pole_[kZZ], pole_[kXZ]);
    *state.velocity = physics.data().qvel[0];
  }

 private:
  const mjtNum* const pole_;
};

}  // namespace parallel_pool::mujoco::dm_control
