// The robot arm of OGBench's tasks, a UR5e with a gripper: its controls and what it observes.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <memory>

#include "parallel_pool/core/random.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/engine/model.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/ogbench/so3.h"

namespace parallel_pool::mujoco::ogbench {

struct Box3 { double low[3], high[3]; };  // m

// Where controls lead the gripper.
inline constexpr Box3 kWorkspace = {{.25, -.35, .02}, {.6, .35, .35}};

// A place as it is observed.
inline void AddPlace(Row& row, const mjtNum* place) {
  constexpr double kMiddle[] = {.425, 0, 0};  // m
  for (int i = 0; i < 3; ++i) {
    const double number = (place[i] - kMiddle[i]) * 10;
    row.Add(&number, 1);
  }
}
// An angle (rad) as it is observed.
inline void AddAngle(Row& row, double angle) {
  const double numbers[] = {NumpyArithmetic().cos(angle), NumpyArithmetic().sin(angle)};
  row.Add(numbers, 2);
}

// The inverse kinematics, by damped steps of Newton on a model of the arm alone.
class InverseKinematics {
 public:
  explicit InverseKinematics(Model arm);

  // The angles of the joints (6) with which the flange is at `place` with `rotation`, beginning
  // from the angles in `qpos`, which it replaces.
  void Solve(const Vector& place, const Quaternion& rotation, mjtNum* qpos);

 private:
  struct Delete {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  const Model model_;
  const std::unique_ptr<mjData, Delete> data_;
  const int flange_;  // a site
};

class Arm {
 public:
  static constexpr int kActions = 5;   // the way along x, y, z, the turn, the gripper's
  static constexpr int kNumbers = 19;  // observed
  static constexpr int kJoints = 6;    // the first ones of qpos

  // The arm in the world, and the arm alone.
  Arm(Simulation& world, Model alone);

  // Its first angles, before anything is computed.
  void GoHome();
  // Puts the gripper somewhere in the box. Computes what follows from it.
  void Place(const Box3& box, Rng& rng);
  // Sets the controls: the action is relative to where the gripper is, of T's precision.
  template <class T>
  void Act(View<const T> action);

  void Observe(Row& row) const;
  const mjtNum* place() const { return world_.data().site_xpos + 3 * pinch_; }
  double yaw() const;
  double opening() const;  // of the gripper: 0 open, 1 closed
  double speed() const;    // of the gripper, rad/s
  double touch() const;    // forces on the right pad, 0 to 1

 private:
  void Act(const std::array<double, kActions>& move);
  // As InverseKinematics, for the point between the fingers.
  void Reach(const Vector& place, const Quaternion& rotation, mjtNum* qpos);

  Simulation& world_;
  InverseKinematics kinematics_;
  const int pinch_, driver_, pad_;   // a site, a joint, a body
  Quaternion flange_rotation_ = {};  // in the frame of the point between the fingers
  Vector flange_place_ = {};
};

}  // namespace parallel_pool::mujoco::ogbench
