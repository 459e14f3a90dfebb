// Walker: a planar robot with two legs that stands, walks at 1 m/s or more, or runs at 8 m/s or
// more.
#pragma once

#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class Walker {
 public:
  struct Config { double speed = 0; };                            // m/s; 0: stands
  struct State { View<double> orientations, height, velocity; };  // xx, xz of bodies; torso; qvel

  static constexpr double kTimeLimit = 25;
  static constexpr int kSubSteps = 10;
  static constexpr unsigned kReads = kPlaces | kAxes | kSensors;
  static const char* ModelFile(const Config&) { return "walker.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::orientations>("orientations", AnyNumbers(14)),
            Array<&State::height>("height", AnyNumber()),
            Array<&State::velocity>("velocity", AnyNumbers(9))};
  }

  Walker(const Config& config, Physics& physics)
      : speed_(config.speed),
        torso_(physics.BodyMatrix("torso")),
        torso_position_(physics.BodyPosition("torso")),
        velocity_(physics.Sensor("torso_subtreelinvel")) {}

  void Begin(Physics& physics, RandomState& random) { RandomizeJoints(physics, random); }
  double Reward(const Physics&) const {
    const double standing =
        Tolerance(torso_position_[2], AtLeast(kHeight), {.margin = kHeight / 2});
    const double upright = (1 + torso_[kZZ]) / 2;
    const double stands = (3 * standing + upright) / 4;
    if (speed_ == 0) return stands;
    const double moves =
        Tolerance(velocity_[0], AtLeast(speed_),
                  {.margin = speed_ / 2, .sigmoid = Sigmoid::kLinear, .value = 0.5});
    return stands * (5 * moves + 1) / 6;
  }
  void Observe(const Physics& physics, const State& state) const {
    for (int i = 0; i < 7; ++i) {
      const mjtNum* const body = physics.data().xmat + 9 * (1 + i);
      state.orientations[2 * i] = body[kXX];
      state.orientations[2 * i + 1] = body[kXZ];
    }
    *state.height = torso_position_[2];
    Row(state.velocity).Add(physics.data().qvel, 9);
  }

 private:
  static constexpr double kHeight = 1.2;  // of the torso, in m

  const double speed_;
  const mjtNum *const torso_, *const torso_position_, *const velocity_;
};

}  // namespace parallel_pool::mujoco::dm_control
