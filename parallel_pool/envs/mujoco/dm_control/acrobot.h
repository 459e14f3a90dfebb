// Acrobot: swing two linked arms up to a target, with a motor between them.
#pragma once

#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

class Acrobot {
 public:
  struct Config { bool is_sparse = false; };
  struct State { View<double> orientations, velocity; };  // the arms' xz, then their zz; rad/s

  static constexpr double kTimeLimit = 10;
  static constexpr int kSubSteps = 1;
  static constexpr unsigned kReads = kAxes | kSites;
  static const char* ModelFile(const Config&) { return "acrobot.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::orientations>("orientations", AnyNumbers(4)),
            Array<&State::velocity>("velocity", AnyNumbers(2))};
  }

  Acrobot(const Config& config, Physics& physics)
      : margin_(config.is_sparse ? 0 : 1),
        upper_(physics.BodyMatrix("upper_arm")),
        lower_(physics.BodyMatrix("lower_arm")),
        target_(physics.SitePosition("target")),
        tip_(physics.SitePosition("tip")),
        target_size_(physics.model().site_size[3 * physics.FindId(mjOBJ_SITE, "target")]),
        shoulder_(physics.JointPosition("shoulder")),
        elbow_(physics.JointPosition("elbow")) {}

  void Begin(Physics&, RandomState& random) {
    *shoulder_ = random.Uniform(-kPi, kPi);
    *elbow_ = random.Uniform(-kPi, kPi);
  }
  double Reward(const Physics&) const {
    const double to_target[] = {target_[0] - tip_[0], target_[1] - tip_[1], target_[2] - tip_[2]};
    return Tolerance(Norm(to_target, 3), {0, target_size_}, {.margin = margin_});
  }
  void Observe(const Physics& physics, const State& state) const {
    state.orientations.Assign(upper_[kXZ], lower_[kXZ], upper_[kZZ], lower_[kZZ]);
    Row(state.velocity).Add(physics.data().qvel, 2);
  }

 private:
  const double margin_;  // m
  const mjtNum *const upper_, *const lower_, *const target_, *const tip_;
  const double target_size_;
  mjtNum *const shoulder_, *const elbow_;
};

}  // namespace parallel_pool::mujoco::dm_control
