#include "parallel_pool/envs/mujoco/dm_control/arm.h"

#include <cmath>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/dm_control/randomizers.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {
namespace {

constexpr const char* kJointNames[] = {"arm_root", "arm_shoulder", "arm_elbow", "arm_wrist",
                                       "finger",   "fingertip",    "thumb",     "thumbtip"};
constexpr int kFinger = 4, kThumb = 6;
constexpr const char* kTouchNames[] = {"palm_touch", "finger_touch", "thumb_touch",
                                       "fingertip_touch", "thumbtip_touch"};

}  // namespace

Arm::Arm(Physics& physics) {
  const mjModel& model = physics.model();
  for (int i = 0; i < kJoints; ++i) {
    const int id = physics.FindId(mjOBJ_JOINT, kJointNames[i]);
    const bool limited = model.jnt_limited[id];
    joints_[i] = {.position = physics.JointPosition(kJointNames[i]),
                  .velocity = physics.JointVelocity(kJointNames[i]),
                  .low = limited ? model.jnt_range[2 * id] : -kPi,
                  .high = limited ? model.jnt_range[2 * id + 1] : kPi};
  }
  for (int i = 0; i < kTouchSensors; ++i) touch_[i] = physics.Sensor(kTouchNames[i]);
}

void Arm::Draw(RandomState& random) const {
  for (const Joint& joint : joints_) *joint.position = random.Uniform(joint.low, joint.high);
  *joints_[kFinger].position = *joints_[kThumb].position;
}

void Arm::Observe(View<double> positions, View<double> velocities, View<double> touch) const {
  for (int i = 0; i < kJoints; ++i) {
    positions[2 * i] = std::sin(*joints_[i].position);
    positions[2 * i + 1] = std::cos(*joints_[i].position);
    velocities[i] = *joints_[i].velocity;
  }
  for (int i = 0; i < kTouchSensors; ++i) touch[i] = NumpyArithmetic().log1p(*touch_[i]);
}

void ObservePose(const Physics& physics, int body, double* pose) {
  const mjtNum* const position = physics.data().xpos + 3 * body;
  const mjtNum* const quaternion = physics.data().xquat + 4 * body;
  pose[0] = position[0];
  pose[1] = position[2];
  pose[2] = quaternion[0];
  pose[3] = quaternion[2];
}

double Distance(const mjtNum* site, const mjtNum* other) {
  const double between[] = {site[0] - other[0], site[1] - other[1], site[2] - other[2]};
  return Norm(between, 3);
}

}  // namespace parallel_pool::mujoco::dm_control
