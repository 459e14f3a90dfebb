// Dog: stand, walk at 1 m/s or more, trot at 3, run at 9, or fetch a ball that is thrown. Its
// actuators follow the action with a delay, so their activations are part of the state.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

// The ball, the target to which the dog brings it, and the parts of the dog that matter for both.
class DogBall {
 public:
  explicit DogBall(Physics& physics)
      : ball_id_(physics.FindId(mjOBJ_GEOM, "ball")),
        head_id_(physics.FindId(mjOBJ_SITE, "head")),
        ball_(physics.GeomPosition("ball")),
        target_(physics.GeomPosition("target")),
        head_(physics.SitePosition("head")),
        head_axes_(physics.data().site_xmat + 9 * head_id_),
        upper_bite_(physics.SitePosition("upper_bite")),
        lower_bite_(physics.SitePosition("lower_bite")),
        position_(physics.JointPosition("ball_root")),
        velocity_(physics.JointVelocity("ball_root")) {
    const mjModel& model = physics.model();
    floor_size_ = model.geom_size[3 * physics.FindId(mjOBJ_GEOM, "floor")];
    target_size_ = model.geom_size[3 * physics.FindId(mjOBJ_GEOM, "target")];
    bite_size_ = model.site_size[3 * physics.FindId(mjOBJ_SITE, "upper_bite")];
  }

  // Throws the ball from a random side, about to the middle.
  void Throw(const Physics& physics, RandomState& random) const {
    const double radius = .75 * floor_size_, azimuth = random.Uniform(0, 2 * kPi);
    position_[0] = radius * std::sin(azimuth);
    position_[1] = radius * std::cos(azimuth);
    position_[2] = .05;
    const double gravity = -physics.model().opt.gravity[2], height = random.Uniform(0, 3);
    const double speed = random.Uniform(0, 5);
    velocity_[0] = speed * (-std::sin(azimuth) + .05 * random.Normal());
    velocity_[1] = speed * (-std::cos(azimuth) + .05 * random.Normal());
    velocity_[2] = std::sqrt(2 * gravity * height);
  }

  // The part of the reward for a mouth near the ball. A ball near the target may be let go.
  double CatchReward() const {
    const Vector to_target = Minus(ball_, target_);
    if (Norm(to_target.data(), 3) < 2 * target_size_) return 1;
    const Vector upper = Minus(ball_, upper_bite_), lower = Minus(ball_, lower_bite_);
    const double distance = .5 * (Norm(upper.data(), 3) + Norm(lower.data(), 3));
    const double near =
        Tolerance(distance, {0, bite_size_}, {.margin = 2, .sigmoid = Sigmoid::kReciprocal});
    return (6 * near + 1) / 7;
  }
  // The part of the reward for a ball near the target.
  double FetchReward() const {
    const Vector to_target = Minus(ball_, target_);
    const double near = Tolerance(Norm(to_target.data(), 3), {0, target_size_},
                                  {.margin = floor_size_, .sigmoid = Sigmoid::kReciprocal});
    return (near + 1) / 2;
  }

  // Writes the ball's position and velocity relative to the head, in the head's axes: 6 numbers.
  void ObserveBall(const Physics& physics, double* ball) const {
    DotMatrix(Minus(ball_, head_).data(), head_axes_, ball);
    mjtNum moves[6], head_moves[6];  // turn, then velocity
    mj_objectVelocity(&physics.model(), &physics.data(), mjOBJ_GEOM, ball_id_, moves, 0);
    mj_objectVelocity(&physics.model(), &physics.data(), mjOBJ_SITE, head_id_, head_moves, 0);
    DotMatrix(Minus(moves + 3, head_moves + 3).data(), head_axes_, ball + 3);
  }
  // Writes the target's position in the same way: 3 numbers.
  void ObserveTarget(double* target) const {
    DotMatrix(Minus(target_, head_).data(), head_axes_, target);
  }

 private:
  using Vector = std::array<double, 3>;
  static Vector Minus(const mjtNum* x, const mjtNum* y) {
    return {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  }

  const int ball_id_, head_id_;  // a geom and a site
  const mjtNum *const ball_, *const target_, *const head_, *const head_axes_;
  const mjtNum *const upper_bite_, *const lower_bite_;  // parts of the mouth
  mjtNum *const position_, *const velocity_;            // the ball's, in qpos and qvel
  double floor_size_, target_size_, bite_size_;         // m
};

class Dog {
 public:
  struct Config {
    double speed = 0;      // m/s; 0: stands
    bool fetches = false;  // also a ball
  };
  struct State {
    View<double> joint_angles, joint_velocities, torso_pelvis_height, z_projection;
    View<double> torso_com_velocity, inertial_sensors, foot_forces, touch_sensors, actuator_state;
    View<double> ball_state, target_position;
  };

  static constexpr double kTimeLimit = 15;
  static constexpr int kSubSteps = 3;
  static unsigned Reads(const Config& config) {
    const unsigned of_ball = kSites | kSiteAxes | kGeoms | kInertias | kCenters;
    return kPlaces | kAxes | kSensors | kForceSensors | (config.fetches ? of_ball : 0);
  }
  // The models differ in the size of the floor; only one has the ball.
  static const char* ModelFile(const Config& config) {
    if (config.fetches) return "dog_fetch.xml";
    return config.speed == 9 ? "dog_run.xml" : config.speed == 3 ? "dog_trot.xml" : "dog_walk.xml";
  }
  static std::vector<ArrayOf<State>> Describe(const Config& config, const mjModel& model) {
    std::vector<ArrayOf<State>> arrays = {
        Array<&State::joint_angles>("joint_angles", AnyNumbers(kHinges)),
        Array<&State::joint_velocities>("joint_velocites", AnyNumbers(kHinges)),  // sic
        Array<&State::torso_pelvis_height>("torso_pelvis_height", AnyNumbers(2)),
        Array<&State::z_projection>("z_projection", AnyNumbers(9)),
        Array<&State::torso_com_velocity>("torso_com_velocity", AnyNumbers(3)),
        Array<&State::inertial_sensors>("inertial_sensors", AnyNumbers(9)),
        Array<&State::foot_forces>("foot_forces", AnyNumbers(12)),
        Array<&State::touch_sensors>("touch_sensors", AnyNumbers(4)),
        Array<&State::actuator_state>("actuator_state", AnyNumbers(static_cast<int>(model.na)))};
    if (config.fetches) {
      Append<ArrayOf<State>>(arrays,
                             {Array<&State::ball_state>("ball_state", AnyNumbers(6)),
                              Array<&State::target_position>("target_position", AnyNumbers(3))});
    }
    return arrays;
  }

  Dog(const Config& config, Physics& physics)
      : speed_(config.speed),
        axes_{physics.BodyMatrix("skull"), physics.BodyMatrix("torso"),
              physics.BodyMatrix("pelvis")},
        torso_(physics.BodyPosition("torso")),
        pelvis_(physics.BodyPosition("pelvis")),
        velocity_(physics.Sensor("torso_linvel")),
        inertial_sensors_(physics.Sensor("accelerometer")),
        foot_forces_(physics.Sensor("foot_L")),
        touch_(physics.Sensor("palm_L")) {
    const mjModel& model = physics.model();
    const double mass = model.body_subtreemass[physics.FindId(mjOBJ_BODY, "torso")];
    weight_ = -model.opt.gravity[2] * mass;
    physics.Reset();
    torso_height_ = torso_[2] * kStandingHeight;
    pelvis_height_ = pelvis_[2] * kStandingHeight;
    if (config.fetches) ball_.emplace(physics);
  }

  // In the model's pose, with a random direction, speed and turn, and random forces of actuators.
  void Begin(Physics& physics, RandomState& random) const {
    const mjModel& model = physics.model();
    mjData& data = physics.data();
    const double azimuth = random.Uniform(0, 2 * kPi);
    const double direction[] = {std::cos(azimuth / 2), 0, 0, std::sin(azimuth / 2)};
    std::copy_n(direction, 4, data.qpos + 3);
    for (const int i : {0, 1, 5}) data.qvel[i] = 2 * random.Normal();
    for (int i = 0; i < model.nu; ++i) {
      const mjtNum* const range = model.actuator_ctrlrange + 2 * i;
      data.act[i] = random.Uniform(range[0], range[1]);
    }
    if (ball_) ball_->Throw(physics, random);
  }

  double Reward(const Physics&) const {
    double reward = Tolerance(torso_[2], AtLeast(torso_height_), {.margin = torso_height_});
    reward *= Tolerance(pelvis_[2], AtLeast(pelvis_height_), {.margin = pelvis_height_});
    for (const mjtNum* const axes : axes_) {
      reward *= Tolerance(axes[kZZ], AtLeast(kUpright),
                          {.margin = kUpright + 1, .sigmoid = Sigmoid::kLinear, .value = 0});
    }
    reward *= Tolerance(Sum(touch_, kTouchSensors), AtLeast(weight_),
                        {.margin = weight_, .sigmoid = Sigmoid::kLinear, .value = .9});
    if (speed_ > 0) reward *= Moves();
    if (ball_) reward = reward * ball_->CatchReward() * ball_->FetchReward();
    return reward;
  }

  void Observe(const Physics& physics, const State& state) const {
    const mjModel& model = physics.model();
    const mjData& data = physics.data();
    Row(state.joint_angles).Add(data.qpos + kRootPositions, kHinges);
    Row(state.joint_velocities).Add(data.qvel + kRootSpeeds, kHinges);
    state.torso_pelvis_height.Assign(torso_[2], pelvis_[2]);
    Row vertical(state.z_projection);
    for (const mjtNum* const axes : axes_) vertical.Add(axes + kZX, 3);
    ObserveVelocity(state.torso_com_velocity.data);
    Row(state.inertial_sensors).Add(inertial_sensors_, 9);
    Row(state.foot_forces).Add(foot_forces_, 12);
    Row(state.touch_sensors).Add(touch_, kTouchSensors);
    Row(state.actuator_state).Add(data.act, static_cast<int>(model.na));
    if (!ball_) return;
    ball_->ObserveBall(physics, state.ball_state.data);
    ball_->ObserveTarget(state.target_position.data);
  }

 private:
  // The root comes first in qpos and qvel, then all hinges.
  static constexpr int kRootPositions = 7, kRootSpeeds = 6, kHinges = 73;
  static constexpr int kTouchSensors = 4;
  static constexpr double kStandingHeight = .9;             // of the height in the model's pose
  static constexpr double kUpright = 0x1.bb67ae8584cabp-1;  // numpy.cos of 30 degrees

  // Writes the velocity of the center of mass in the torso's axes: 3 numbers.
  void ObserveVelocity(double* velocity) const { DotMatrix(velocity_, axes_[1], velocity); }

  // The part of the reward for the speed in the torso's direction.
  double Moves() const {
    double velocity[3];
    ObserveVelocity(velocity);
    const double moves =
        Tolerance(velocity[0], {speed_, 2 * speed_},
                  {.margin = std::max(1.0, speed_), .sigmoid = Sigmoid::kLinear, .value = 0});
    return (4 * moves + 1) / 5;
  }

  const double speed_;
  const std::array<const mjtNum*, 3> axes_;                 // of the skull, torso and pelvis
  const mjtNum *const torso_, *const pelvis_;               // their positions
  const mjtNum *const velocity_, *const inertial_sensors_;  // the center of mass; the head
  const mjtNum *const foot_forces_, *const touch_;          // of four feet each
  double weight_, torso_height_, pelvis_height_;            // N, m, m
  std::optional<DogBall> ball_;
};

}  // namespace parallel_pool::mujoco::dm_control
