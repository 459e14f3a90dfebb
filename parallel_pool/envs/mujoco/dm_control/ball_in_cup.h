// Ball in cup: swing a ball, which hangs from a cup by a string, into the cup.
#pragma once

#include <cmath>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

class BallInCup {
 public:
  struct Config {};
  struct State { View<double> position, velocity; };

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 10;
  static constexpr unsigned kReads = kPlaces | kSites;
  static const char* ModelFile(const Config&) { return "ball_in_cup.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return {Array<&State::position>("position", AnyNumbers(4)),
            Array<&State::velocity>("velocity", AnyNumbers(4))};
  }

  BallInCup(const Config&, Physics& physics)
      : target_(physics.SitePosition("target")),
        ball_(physics.BodyPosition("ball")),
        target_size_(physics.model().site_size + 3 * physics.FindId(mjOBJ_SITE, "target")),
        ball_size_(physics.model().geom_size[3 * physics.FindId(mjOBJ_GEOM, "ball")]),
        ball_x_(physics.JointPosition("ball_x")),
        ball_z_(physics.JointPosition("ball_z")) {}

  // Draws until the ball touches nothing. Each try changes what the next Forward starts from.
  void Begin(Physics& physics, RandomState& random) {
    do {
      *ball_x_ = random.Uniform(-.2, .2);
      *ball_z_ = random.Uniform(.2, .5);
      physics.Forward();
    } while (physics.data().ncon > 0);
  }
  double Reward(const Physics&) const { return IsIn(0) && IsIn(2) ? 1 : 0; }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.position).Add(physics.data().qpos, 4);
    Row(state.velocity).Add(physics.data().qvel, 4);
  }

 private:
  // Whether the ball is within the target in one coordinate (0: x, 2: z).
  bool IsIn(int coordinate) const {
    return std::abs(target_[coordinate] - ball_[coordinate]) <
           target_size_[coordinate] - ball_size_;
  }

  const mjtNum *const target_, *const ball_, *const target_size_;
  const double ball_size_;
  mjtNum *const ball_x_, *const ball_z_;
};

}  // namespace parallel_pool::mujoco::dm_control
