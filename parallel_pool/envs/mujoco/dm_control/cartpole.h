// Cartpole: balance one pole on a cart, or swing up one or more poles, each on top of the other.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class Cartpole {
 public:
  struct Config {
    int poles = 1;  // 1 to 3
    bool swings_up = false, is_sparse = false;
  };
  struct State { View<double> position, velocity; };  // the cart's, and each pole's zz and xz; qvel

  static constexpr double kTimeLimit = 10;
  static constexpr int kSubSteps = 1;
  static constexpr unsigned kReads = kAxes;
  static const char* ModelFile(const Config& config) {
    static constexpr const char* kFiles[] = {"cartpole.xml", "cartpole_2.xml", "cartpole_3.xml"};
    return kFiles[config.poles - 1];
  }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel&) {
    return {Array<&State::position>("position", AnyNumbers(1 + 2 * config.poles)),
            Array<&State::velocity>("velocity", AnyNumbers(1 + config.poles))};
  }

  Cartpole(const Config& config, Physics& physics)
      : config_(config), first_pole_(physics.data().xmat + 9 * kFirstPole) {}

  void Begin(Physics& physics, RandomState& random) {
    mjData& data = physics.data();
    const int n = 1 + config_.poles;
    if (config_.swings_up) {
      data.qpos[0] = .01 * random.Normal();
      data.qpos[1] = kPi + .01 * random.Normal();
      for (int i = 2; i < n; ++i) data.qpos[i] = .1 * random.Normal();
    } else {
      data.qpos[0] = random.Uniform(-.1, .1);
      for (int i = 1; i < n; ++i) data.qpos[i] = random.Uniform(-.034, .034);
    }
    for (int i = 0; i < n; ++i) data.qvel[i] = .01 * random.Normal();
  }

  double Reward(const Physics& physics) const {
    const mjData& data = physics.data();
    return config_.is_sparse ? SparseReward(data) : SmoothReward(data);
  }

  void Observe(const Physics& physics, const State& state) const {
    state.position[0] = physics.data().qpos[0];
    for (int i = 0; i < config_.poles; ++i) {
      state.position[1 + 2 * i] = Pole(i)[kZZ];
      state.position[2 + 2 * i] = Pole(i)[kXZ];
    }
    Row(state.velocity).Add(physics.data().qvel, 1 + config_.poles);
  }

 private:
  static constexpr int kFirstPole = 2;  // bodies 0 and 1 are the world and the cart

  const mjtNum* Pole(int i) const { return first_pole_ + 9 * i; }

  double SparseReward(const mjData& data) const {
    double all_up = 1;
    for (int i = 0; i < config_.poles; ++i) all_up *= Tolerance(Pole(i)[kZZ], {.995, 1});
    return Tolerance(data.qpos[0], {-.25, .25}) * all_up;
  }

  double SmoothReward(const mjData& data) const {
    double upright = 0, slow = std::numeric_limits<double>::infinity();
    for (int i = 0; i < config_.poles; ++i) {
      upright += (Pole(i)[kZZ] + 1) / 2;
      slow = std::min(slow, ToleranceOfElement(data.qvel[1 + i], {}, {.margin = 5}));
    }
    const double centered = (1 + Tolerance(data.qpos[0], {}, {.margin = 2})) / 2;
    const double small_control = (4 + SmallControl(data.ctrl, 1)) / 5;
    return upright / config_.poles * small_control * ((1 + slow) / 2) * centered;
  }

  const Config config_;
  const mjtNum* const first_pole_;
};

}  // namespace parallel_pool::mujoco::dm_control
