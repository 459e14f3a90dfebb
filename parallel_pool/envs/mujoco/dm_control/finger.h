// Finger: spin a body that turns on a hinge at 15 rad/s or more, or turn it so that its tip is in a
// target.
#pragma once

#include <cmath>
#include <stdexcept>
#include <vector>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

class Finger {
 public:
  struct Config { double target_size = 0; };  // m; 0: spin
  struct State { View<double> position, velocity, touch, target_position, dist_to_target; };

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 2;
  static constexpr unsigned kReads = kSensors | kForceSensors;
  static const char* ModelFile(const Config&) { return "finger.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel&) {
    std::vector<ArrayOf<State>> arrays = {Array<&State::position>("position", AnyNumbers(4)),
                                          Array<&State::velocity>("velocity", AnyNumbers(3)),
                                          Array<&State::touch>("touch", AnyNumbers(2))};
    if (config.target_size > 0) {
      Append<ArrayOf<State>>(arrays,
                             {Array<&State::target_position>("target_position", AnyNumbers(2)),
                              Array<&State::dist_to_target>("dist_to_target", AnyNumber())});
    }
    return arrays;
  }

  Finger(const Config& config, Physics& physics)
      : target_size_(config.target_size),
        proximal_(physics.Sensor("proximal")),
        distal_(physics.Sensor("distal")),
        proximal_velocity_(physics.Sensor("proximal_velocity")),
        distal_velocity_(physics.Sensor("distal_velocity")),
        hinge_velocity_(physics.Sensor("hinge_velocity")),
        tip_(physics.Sensor("tip")),
        spinner_(physics.Sensor("spinner")),
        target_(physics.Sensor("target")),
        touch_top_(physics.Sensor("touchtop")),
        touch_bottom_(physics.Sensor("touchbottom")) {
    const mjModel& model = physics.model();
    const int hinge = physics.FindId(mjOBJ_JOINT, "hinge");
    hinge_position_ = physics.data().xanchor + 3 * hinge;
    if (target_size_ == 0) {
      hinge_damping_ = physics.Edit(&mjModel::dof_damping, model.nv) + model.jnt_dofadr[hinge];
      float* const colors = physics.Edit(&mjModel::site_rgba, 4 * model.nsite);
      target_opacity_ = &colors[4 * physics.FindId(mjOBJ_SITE, "target") + 3];
      tip_opacity_ = &colors[4 * physics.FindId(mjOBJ_SITE, "tip") + 3];
      return;
    }
    const mjtNum* const cap = model.geom_size + 3 * physics.FindId(mjOBJ_GEOM, "cap1");
    target_distance_ = Sum(cap, 3);
    const int target = 3 * physics.FindId(mjOBJ_SITE, "target");
    model_position_ = physics.Edit(&mjModel::site_pos, 3 * model.nsite) + target;
    model_size_ = physics.Edit(&mjModel::site_size, 3 * model.nsite) + target;
  }

  void Begin(Physics& physics, RandomState& random) {
    if (target_size_ == 0) {
      *hinge_damping_ = .03;
      *target_opacity_ = *tip_opacity_ = 0;  // there is no target
    } else {
      const double angle = random.Uniform(-kPi, kPi);
      model_position_[0] = hinge_position_[0] + target_distance_ * std::sin(angle);
      model_position_[2] = hinge_position_[2] + target_distance_ * std::cos(angle);
      model_size_[0] = target_size_;
    }
    for (int i = 0; i < kTries; ++i) {
      RandomizeJoints(physics, random);
      physics.Forward();
      if (physics.data().ncon == 0) return;
    }
    throw std::runtime_error("no state without contacts was found in 1000 tries");
  }

  double Reward(const Physics&) const {
    if (target_size_ == 0) return *hinge_velocity_ <= -kSpeed ? 1 : 0;
    return Distance() <= 0 ? 1 : 0;
  }

  void Observe(const Physics&, const State& state) const {
    state.position.Assign(*proximal_, *distal_, tip_[0] - spinner_[0], tip_[2] - spinner_[2]);
    state.velocity.Assign(*proximal_velocity_, *distal_velocity_, *hinge_velocity_);
    state.touch.Assign(NumpyArithmetic().log1p(*touch_top_),
                       NumpyArithmetic().log1p(*touch_bottom_));
    if (target_size_ == 0) return;
    state.target_position.Assign(target_[0] - spinner_[0], target_[2] - spinner_[2]);
    *state.dist_to_target = Distance();
  }

 private:
  static constexpr double kSpeed = 15;  // rad/s
  static constexpr int kTries = 1000;

  // The distance from the tip to the surface of the target; negative: inside.
  double Distance() const {
    const double to_target[] = {(target_[0] - spinner_[0]) - (tip_[0] - spinner_[0]),
                                (target_[2] - spinner_[2]) - (tip_[2] - spinner_[2])};
    return Norm(to_target, 2) - target_size_;
  }

  const double target_size_;
  // Sensors.
  const mjtNum *const proximal_, *const distal_;
  const mjtNum *const proximal_velocity_, *const distal_velocity_, *const hinge_velocity_;
  const mjtNum *const tip_, *const spinner_, *const target_;
  const mjtNum *const touch_top_, *const touch_bottom_;
  const mjtNum* hinge_position_;
  double target_distance_ = 0;  // from the hinge to the target, in m
  // In the model: of the spinning body's hinge, and of the target.
  mjtNum *hinge_damping_ = nullptr, *model_position_ = nullptr, *model_size_ = nullptr;
  float *target_opacity_ = nullptr, *tip_opacity_ = nullptr;  // in pictures
};

}  // namespace parallel_pool::mujoco::dm_control
