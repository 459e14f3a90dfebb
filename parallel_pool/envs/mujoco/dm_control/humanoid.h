// Humanoid, and the humanoid with the joints of CMU's motion capture data: stand, walk at 1 m/s or
// more, or run at 10 m/s or more.
#pragma once

#include <array>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

// The names and numbers in which the two robots differ.
struct HumanoidBody {
  const char *model, *torso, *velocity;
  std::array<const char*, 4> limbs;  // in the order of the observation
  MatrixElement upright;             // the z of the torso's axis that should point up
  double time_limit;                 // s
  int sub_steps;
};
inline constexpr HumanoidBody kHumanoidBody = {
    .model = "humanoid.xml",
    .torso = "torso",
    .velocity = "torso_subtreelinvel",
    .limbs = {"left_hand", "left_foot", "right_hand", "right_foot"},
    .upright = kZZ,
    .time_limit = 25,
    .sub_steps = 5,
};
inline constexpr HumanoidBody kHumanoidCmuBody = {
    .model = "humanoid_CMU.xml",
    .torso = "thorax",
    .velocity = "thorax_subtreelinvel",
    .limbs = {"lhand", "lfoot", "rhand", "rfoot"},
    .upright = kZY,
    .time_limit = 20,
    .sub_steps = 10,
};

template <const HumanoidBody& kBody>
class HumanoidOf {
 public:
  struct Config {
    double speed = 0;            // m/s; 0: stands
    bool is_pure_state = false;  // observes qpos and qvel only
  };
  struct State {
    View<double> joint_angles, head_height, extremities, torso_vertical, com_velocity;
    View<double> position, velocity;
  };

  static constexpr double kTimeLimit = kBody.time_limit;
  static constexpr int kSubSteps = kBody.sub_steps;
  static constexpr unsigned kReads = kPlaces | kAxes | kSensors;
  static const char* ModelFile(const Config&) { return kBody.model; }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel& model) {
    const int nq = static_cast<int>(model.nq), nv = static_cast<int>(model.nv);
    const auto velocity = Array<&State::velocity>("velocity", AnyNumbers(nv));
    if (config.is_pure_state) {
      return {Array<&State::position>("position", AnyNumbers(nq)), velocity};
    }
    return {Array<&State::joint_angles>("joint_angles", AnyNumbers(nq - kRoot)),
            Array<&State::head_height>("head_height", AnyNumber()),
            Array<&State::extremities>("extremities", AnyNumbers(12)),
            Array<&State::torso_vertical>("torso_vertical", AnyNumbers(3)),
            Array<&State::com_velocity>("com_velocity", AnyNumbers(3)),
            velocity};
  }

  HumanoidOf(const Config& config, Physics& physics)
      : config_(config),
        torso_(physics.BodyMatrix(kBody.torso)),
        torso_position_(physics.BodyPosition(kBody.torso)),
        head_(physics.BodyPosition("head")),
        velocity_(physics.Sensor(kBody.velocity)) {
    for (int i = 0; i < 4; ++i) limbs_[i] = physics.BodyPosition(kBody.limbs[i]);
  }

  // Draws until nothing touches. Each try changes what the next Forward starts from.
  void Begin(Physics& physics, RandomState& random) {
    do {
      RandomizeJoints(physics, random);
      physics.Forward();
    } while (physics.data().ncon > 0);
  }

  double Reward(const Physics& physics) const {
    const double standing = Tolerance(head_[2], AtLeast(kHeight), {.margin = kHeight / 4});
    const double upright = Tolerance(torso_[kBody.upright], AtLeast(0.9),
                                     {.margin = 1.9, .sigmoid = Sigmoid::kLinear, .value = 0});
    const int n = static_cast<int>(physics.model().nu);
    const double small_control = (4 + SmallControl(physics.data().ctrl, n)) / 5;
    return small_control * (standing * upright) * Moves();
  }

  void Observe(const Physics& physics, const State& state) const {
    const mjModel& model = physics.model();
    const mjData& data = physics.data();
    Row(state.velocity).Add(data.qvel, static_cast<int>(model.nv));
    if (config_.is_pure_state) {
      Row(state.position).Add(data.qpos, static_cast<int>(model.nq));
      return;
    }
    Row(state.joint_angles).Add(data.qpos + kRoot, static_cast<int>(model.nq) - kRoot);
    *state.head_height = head_[2];
    for (int i = 0; i < 4; ++i) {
      const double to_limb[] = {limbs_[i][0] - torso_position_[0],
                                limbs_[i][1] - torso_position_[1],
                                limbs_[i][2] - torso_position_[2]};
      DotMatrix(to_limb, torso_, state.extremities.data + 3 * i);
    }
    Row(state.torso_vertical).Add(torso_ + kZX, 3);
    Row(state.com_velocity).Add(velocity_, 3);
  }

 private:
  static constexpr double kHeight = 1.4;  // of the head, in m
  static constexpr int kRoot = 7;         // numbers of qpos that place the root

  // The part of the reward for the speed of the center of mass.
  double Moves() const {
    if (config_.speed == 0) {
      constexpr Falloff kStill = {.margin = 2};
      return (ToleranceOfElement(velocity_[0], {}, kStill) +
              ToleranceOfElement(velocity_[1], {}, kStill)) /
             2;
    }
    const double fast =
        Tolerance(Norm(velocity_, 2), AtLeast(config_.speed),
                  {.margin = config_.speed, .sigmoid = Sigmoid::kLinear, .value = 0});
    return (5 * fast + 1) / 6;
  }

  const Config config_;
  const mjtNum *const torso_, *const torso_position_, *const head_, *const velocity_;
  std::array<const mjtNum*, 4> limbs_;
};

using Humanoid = HumanoidOf<kHumanoidBody>;
using HumanoidCmu = HumanoidOf<kHumanoidCmuBody>;

}  // namespace parallel_pool::mujoco::dm_control
