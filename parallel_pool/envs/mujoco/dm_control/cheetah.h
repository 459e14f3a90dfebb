// Cheetah: run as fast as possible, up to 10 m/s.
#pragma once

#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class Cheetah {
 public:
  struct Config {};
  struct State { View<double> position, velocity; };  // qpos without x; qvel

  static constexpr double kTimeLimit = 10;
  static constexpr int kSubSteps = 1;
  static constexpr unsigned kReads = kSensors;
  static const char* ModelFile(const Config&) { return "cheetah.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::position>("position", AnyNumbers(8)),
            Array<&State::velocity>("velocity", AnyNumbers(9))};
  }

  Cheetah(const Config&, Physics& physics) : velocity_(physics.Sensor("torso_subtreelinvel")) {}

  void Begin(Physics& physics, RandomState& random) {
    const mjModel& model = physics.model();
    for (int i = 0; i < model.njnt; ++i) {
      if (!model.jnt_limited[i]) continue;
      physics.data().qpos[i] = random.Uniform(model.jnt_range[2 * i], model.jnt_range[2 * i + 1]);
    }
    physics.Step(200);  // it falls and comes to rest
    physics.data().time = 0;
  }
  double Reward(const Physics&) const {
    return Tolerance(velocity_[0], AtLeast(kSpeed),
                     {.margin = kSpeed, .sigmoid = Sigmoid::kLinear, .value = 0});
  }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.position).Add(physics.data().qpos + 1, 8);
    Row(state.velocity).Add(physics.data().qvel, 9);
  }

 private:
  static constexpr double kSpeed = 10;  // m/s
  const mjtNum* const velocity_;        // velocity of the center of mass
};

}  // namespace parallel_pool::mujoco::dm_control
