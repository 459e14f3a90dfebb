// The planar arm with a hand of manipulator and stacker.
#pragma once

#include <array>

#include "parallel_pool/core/random_state.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/dm_control/physics.h"

namespace parallel_pool::mujoco::dm_control {

class Arm {
 public:
  static constexpr int kJoints = 8, kTouchSensors = 5;

  explicit Arm(Physics& physics);

  // Draws all angles. The finger mirrors the thumb.
  void Draw(RandomState& random) const;

  // Writes the sine and the cosine of each angle; speeds; log(1 + N) of each touch sensor.
  void Observe(View<double> positions, View<double> velocities, View<double> touch) const;

 private:
  struct Joint {
    mjtNum* position;
    const mjtNum* velocity;
    double low, high;  // rad
  };

  std::array<Joint, kJoints> joints_;
  std::array<const mjtNum*, kTouchSensors> touch_;
};

// Writes the x and z of a body, and the w and y of its quaternion.
void ObservePose(const Physics& physics, int body, double* pose);

// The distance between two sites, of 3 coordinates each.
double Distance(const mjtNum* site, const mjtNum* other);

}  // namespace parallel_pool::mujoco::dm_control
