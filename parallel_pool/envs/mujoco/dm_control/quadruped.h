// Quadruped: walk at 0.5 m/s or more, run at 5 m/s or more, escape from a bowl with bumps, or fetch
// a ball to the center of an arena.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/dm_control/rangefinders.h"
#include "parallel_pool/envs/mujoco/dm_control/rewards.h"
#include "parallel_pool/envs/mujoco/dm_control/task.h"
#include "parallel_pool/envs/mujoco/dm_control/terrain.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {

// The observations of all tasks of the quadruped.
struct QuadrupedState {
  View<double> egocentric_state, torso_velocity, torso_upright, imu, force_torque;
};

// The robot.
class QuadrupedBody {
 public:
  template <class State>
  static std::vector<ArrayOf<State>> Describe() {
    return {Array<&State::egocentric_state>("egocentric_state", AnyNumbers(2 * kHinges + kMotors)),
            Array<&State::torso_velocity>("torso_velocity", AnyNumbers(3)),
            Array<&State::torso_upright>("torso_upright", AnyNumber()),
            Array<&State::imu>("imu", AnyNumbers(kImu)),
            Array<&State::force_torque>("force_torque", AnyNumbers(kForceTorque))};
  }

  static constexpr unsigned kReads = kPlaces | kAxes | kSites | kSensors | kForceSensors;

  explicit QuadrupedBody(Physics& physics)
      : root_(physics.JointPosition("root")),
        hinges_(physics.JointPosition("yaw_front_left")),
        hinge_velocities_(physics.JointVelocity("yaw_front_left")),
        position_(physics.BodyPosition("torso")),
        axes_(physics.BodyMatrix("torso")),
        workspace_(physics.SitePosition("workspace")),
        velocity_(physics.Sensor("velocimeter")),
        imu_(physics.Sensor("imu_accel")),
        force_torque_(physics.Sensor("force_toe_front_left")) {}

  const mjtNum* position() const { return position_; }    // of the torso
  const mjtNum* axes() const { return axes_; }            // of the torso
  const mjtNum* velocity() const { return velocity_; }    // of the torso, in its axes
  const mjtNum* workspace() const { return workspace_; }  // a place in front of it

  void Observe(const Physics& physics, const QuadrupedState& state) const {
    Row(state.egocentric_state)
        .Add(hinges_, kHinges)
        .Add(hinge_velocities_, kHinges)
        .Add(physics.data().act, kMotors);
    Row(state.torso_velocity).Add(velocity_, 3);
    *state.torso_upright = axes_[kZZ];
    Row(state.imu).Add(imu_, kImu);
    Row(state.force_torque).AddEach(force_torque_, kForceTorque, NumpyArithmetic().arcsinh);
  }

  // The part of the reward for the direction of the torso. It is 1 if the z of the torso's z axis
  // is at least `high`.
  double IsUpright(double high) const {
    return Tolerance(axes_[kZZ], AtLeast(high),
                     {.margin = 1 + high, .sigmoid = Sigmoid::kLinear, .value = 0});
  }

  // Resets the world and puts the torso at the lowest height, in steps of 1 cm from 0 on, at which
  // nothing touches. dm_control computes all quantities at each height. Only those of the last one
  // remain, and contacts follow from positions alone, so the other heights need nothing else.
  void Place(Physics& physics, double x, double y, const std::array<double, 4>& orientation) {
    std::array<double, 7> pose = {x, y, 0};
    std::copy(orientation.begin(), orientation.end(), pose.begin() + 3);
    const auto move = [&] { std::copy(pose.begin(), pose.end(), root_); };
    move();
    physics.ComputePositions();
    const double lowest = LowestPoint(physics);
    constexpr double kSurely = 1e-6;  // m; far more than what is rounded
    for (int i = 0; i < kTries; ++i, pose[2] += .01) {
      if (pose[2] + lowest < -kSurely) continue;  // something is below the floor
      move();
      if (physics.CountContacts() > 0) continue;
      physics.Reset();
      move();
      return physics.Forward();
    }
    throw std::runtime_error("no height without contacts was found in 10,000 tries");
  }
  // The same at the origin, with an evenly drawn orientation.
  void PlaceAnyWay(Physics& physics, RandomState& random) {
    std::array<double, 4> orientation;
    for (double& x : orientation) x = random.Normal();
    const double length = Norm(orientation.data(), 4);
    for (double& x : orientation) x /= length;
    Place(physics, 0, 0, orientation);
  }

 private:
  static constexpr int kHinges = 16, kMotors = 12;
  static constexpr int kImu = 6;           // accelerometer, gyroscope
  static constexpr int kForceTorque = 24;  // the forces on four toes, their torques
  static constexpr int kTries = 10'000;

  // The height of the lowest point of the limbs, which are capsules and spheres.
  static double LowestPoint(const Physics& physics) {
    const mjModel& model = physics.model();
    double lowest = mjMAXVAL;
    for (int i = 0; i < model.ngeom; ++i) {
      if (model.geom_type[i] != mjGEOM_CAPSULE && model.geom_type[i] != mjGEOM_SPHERE) continue;
      const mjtNum* const size = model.geom_size + 3 * i;  // radius, half of a capsule's length
      const double z = physics.data().geom_xpos[3 * i + 2];
      const double tilt = std::abs(physics.data().geom_xmat[9 * i + kZZ]);
      lowest = std::min(lowest, z - size[0] - tilt * size[1]);
    }
    return lowest;
  }

  mjtNum* const root_;
  const mjtNum *const hinges_, *const hinge_velocities_;
  const mjtNum *const position_, *const axes_, *const workspace_;
  const mjtNum *const velocity_, *const imu_, *const force_torque_;  // sensors
};

// Walk and run.
class QuadrupedMove {
 public:
  struct Config { double speed = 0; };  // m/s
  using State = QuadrupedState;

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 4;
  static constexpr unsigned kReads = QuadrupedBody::kReads;
  static const char* ModelFile(const Config& config) {
    return config.speed > 1 ? "quadruped_run.xml" : "quadruped_walk.xml";
  }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    return QuadrupedBody::Describe<State>();
  }

  QuadrupedMove(const Config& config, Physics& physics) : speed_(config.speed), body_(physics) {}

  void Begin(Physics& physics, RandomState& random) { body_.PlaceAnyWay(physics, random); }
  double Reward(const Physics&) const {
    const Falloff falloff = {.margin = speed_, .sigmoid = Sigmoid::kLinear, .value = 0.5};
    return body_.IsUpright(1) * Tolerance(body_.velocity()[0], AtLeast(speed_), falloff);
  }
  void Observe(const Physics& physics, const State& state) const { body_.Observe(physics, state); }

 private:
  const double speed_;
  QuadrupedBody body_;
};

// Each episode has a terrain of its own.
class QuadrupedEscape {
 public:
  struct Config {};
  struct State : QuadrupedState { View<double> origin, rangefinder; };  // seen from the torso

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 4;
  static constexpr unsigned kReads = QuadrupedBody::kReads;
  static const char* ModelFile(const Config&) { return "quadruped_escape.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    auto arrays = QuadrupedBody::Describe<State>();
    Append<ArrayOf<State>>(arrays, {Array<&State::origin>("origin", AnyNumbers(3)),
                                    Array<&State::rangefinder>("rangefinder", AnyNumbers(kRays))});
    return arrays;
  }

  QuadrupedEscape(const Config&, Physics& physics)
      : body_(physics),
        rangefinders_(physics, "rf_00", kRays, "terrain"),
        radius_(physics.model().hfield_size[0]),
        heights_(physics.Edit(&mjModel::hfield_data, kTerrainPoints * kTerrainPoints)) {}

  void Begin(Physics& physics, RandomState& random) {
    std::array<double, kBumps * kBumps> bumps;
    for (double& bump : bumps) bump = random.Uniform(.15, 1);
    FillTerrain(bumps.data(), heights_);
    body_.PlaceAnyWay(physics, random);
  }
  double Reward(const Physics&) const {
    const Falloff falloff = {.margin = radius_, .sigmoid = Sigmoid::kLinear, .value = 0};
    const double escaped = Tolerance(Norm(body_.workspace(), 3), AtLeast(radius_), falloff);
    return body_.IsUpright(upright_) * escaped;
  }
  void Observe(const Physics& physics, const State& state) const {
    body_.Observe(physics, state);
    DotMatrix(body_.position(), body_.axes(), state.origin.data);
    for (double& x : state.origin) x = -x;
    rangefinders_.Measure(physics, state.rangefinder.data);
    for (double& x : state.rangefinder) x = x == -1 ? 1 : NumpyArithmetic().tanh(x);
  }

 private:
  static constexpr int kRays = 20;

  QuadrupedBody body_;
  const Rangefinders rangefinders_;
  const double radius_;                                // of the bowl, in m
  const double upright_ = std::cos(20 * (kPi / 180));  // of a torso that tilts by 20 degrees
  float* const heights_;                               // of the terrain, in the model
};

class QuadrupedFetch {
 public:
  struct Config {};
  struct State : QuadrupedState { View<double> ball_state, target_position; };  // from the torso

  static constexpr double kTimeLimit = 20;
  static constexpr int kSubSteps = 4;
  static constexpr unsigned kReads = QuadrupedBody::kReads;
  static const char* ModelFile(const Config&) { return "quadruped_fetch.xml"; }
  static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&) {
    auto arrays = QuadrupedBody::Describe<State>();
    Append<ArrayOf<State>>(arrays,
                           {Array<&State::ball_state>("ball_state", AnyNumbers(9)),
                            Array<&State::target_position>("target_position", AnyNumbers(3))});
    return arrays;
  }

  QuadrupedFetch(const Config&, Physics& physics)
      : body_(physics),
        ball_(physics.BodyPosition("ball")),
        target_(physics.SitePosition("target")),
        velocity_(physics.JointVelocity("root")),
        ball_position_(physics.JointPosition("ball_root")),
        ball_velocity_(physics.JointVelocity("ball_root")) {
    const mjModel& model = physics.model();
    const auto geom = [&](const char* name) {
      return model.geom_size[3 * physics.FindId(mjOBJ_GEOM, name)];
    };
    const auto site = [&](const char* name) {
      return model.site_size[3 * physics.FindId(mjOBJ_SITE, name)];
    };
    arena_ = geom("floor");
    reach_ = site("workspace") + geom("ball");
    target_radius_ = site("target");
  }

  void Begin(Physics& physics, RandomState& random) {
    const double azimuth = random.Uniform(0, 2 * kPi), most = 0.9 * arena_;
    const double x = random.Uniform(-most, most), y = random.Uniform(-most, most);
    body_.Place(physics, x, y, {std::cos(azimuth / 2), 0, 0, std::sin(azimuth / 2)});
    for (int i = 0; i < 2; ++i) ball_position_[i] = random.Uniform(-most, most);
    ball_position_[2] = 2;
    for (int i = 0; i < 2; ++i) ball_velocity_[i] = 5 * random.Normal();
  }
  double Reward(const Physics&) const {
    const double reaches = IsWithin(reach_, body_.workspace(), ball_);
    const double fetches = IsWithin(target_radius_, target_, ball_);
    return body_.IsUpright(1) * (reaches * (0.5 + 0.5 * fetches));
  }
  void Observe(const Physics& physics, const State& state) const {
    body_.Observe(physics, state);
    double global[9];  // position, speed and rotation of the ball
    mju_sub3(global, ball_, body_.position());
    mju_sub3(global + 3, ball_velocity_, velocity_);
    mju_copy3(global + 6, ball_velocity_ + 3);
    DotMatrices(global, body_.axes(), state.ball_state.data);
    double to_target[3];
    mju_sub3(to_target, target_, body_.position());
    DotMatrix(to_target, body_.axes(), state.target_position.data);
  }

 private:
  // The part of the reward for a horizontal distance.
  double IsWithin(double radius, const mjtNum* place, const mjtNum* other) const {
    const double between[] = {place[0] - other[0], place[1] - other[1]};
    return Tolerance(Norm(between, 2), {0, radius},
                     {.margin = arena_ * std::sqrt(2.0), .sigmoid = Sigmoid::kLinear, .value = 0});
  }

  QuadrupedBody body_;
  const mjtNum *const ball_, *const target_;
  const mjtNum* const velocity_;  // of the torso, in the world
  mjtNum *const ball_position_, *const ball_velocity_;
  double arena_, reach_, target_radius_;  // half of the floor's size, and radii; in m
};

}  // namespace parallel_pool::mujoco::dm_control
