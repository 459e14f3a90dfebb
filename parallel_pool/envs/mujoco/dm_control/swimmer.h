// Swimmer: a chain of links in a plane that swims with its nose to a target.
#pragma once

#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

class Swimmer {
 public:
  struct Config { int links = 6; };  // 6 or 15
  // The target is seen from the nose, in the head's axes. Each body's x and y speed, and its turn.
  struct State { View<double> joints, to_target, body_velocities; };

  static constexpr double kTimeLimit = 30;
  static constexpr int kSubSteps = 15;
  static constexpr unsigned kReads = kAxes | kGeoms | kSensors;
  static const char* ModelFile(const Config& config) {
    return config.links == 6 ? "swimmer_6.xml" : "swimmer_15.xml";
  }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel&) {
    return {Array<&State::joints>("joints", AnyNumbers(config.links - 1)),
            Array<&State::to_target>("to_target", AnyNumbers(2)),
            Array<&State::body_velocities>("body_velocities", AnyNumbers(3 * config.links))};
  }

  Swimmer(const Config& config, Physics& physics)
      : links_(config.links),
        head_(physics.BodyMatrix("head")),
        nose_(physics.GeomPosition("nose")),
        target_(physics.GeomPosition("target")) {
    const mjModel& model = physics.model();
    const int target = 3 * physics.FindId(mjOBJ_GEOM, "target");
    target_size_ = model.geom_size[target];
    model_target_ = physics.Edit(&mjModel::geom_pos, 3 * model.ngeom) + target;
    model_light_ = physics.Edit(&mjModel::light_pos, 3 * model.nlight) +
                   3 * physics.FindId(mjOBJ_LIGHT, "target_light");
  }

  void Begin(Physics& physics, RandomState& random) {
    RandomizeJoints(physics, random);
    const double box = random.Random() < .2 ? .3 : 2;
    model_target_[0] = model_light_[0] = random.Uniform(-box, box);
    model_target_[1] = model_light_[1] = random.Uniform(-box, box);
  }
  double Reward(const Physics&) const {
    double to_target[3];
    LookFromNose(to_target);
    return Tolerance(Norm(to_target, 2), {0, target_size_},
                     {.margin = 5 * target_size_, .sigmoid = Sigmoid::kLongTail});
  }
  void Observe(const Physics& physics, const State& state) const {
    Row(state.joints).Add(physics.data().qpos + 3, links_ - 1);
    double to_target[3];
    LookFromNose(to_target);
    state.to_target.Assign(to_target[0], to_target[1]);
    for (int i = 0; i < links_; ++i) {
      const mjtNum* const body = physics.data().sensordata + kFirstVelocity + 6 * i;
      Row(View<double>{state.body_velocities.data + 3 * i, 3}).Add(body, 2).Add(body + 5, 1);
    }
  }

 private:
  static constexpr int kFirstVelocity = 12;  // sensors of positions come before

  void LookFromNose(double* to_target) const {
    const double global[] = {target_[0] - nose_[0], target_[1] - nose_[1], target_[2] - nose_[2]};
    DotMatrix(global, head_, to_target);
  }

  const int links_;
  const mjtNum *const head_, *const nose_, *const target_;
  double target_size_;  // m
  // The positions of the target and of the light above it, in the model.
  mjtNum *model_target_, *model_light_;
};

}  // namespace parallel_pool::mujoco::dm_control
