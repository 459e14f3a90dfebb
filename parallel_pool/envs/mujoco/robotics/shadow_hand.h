// The Shadow Hand, with 24 joints and 20 controls, of the tasks in hand_reach.h and
// hand_manipulate.h.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/advance.h"
#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"
#include "parallel_pool/envs/mujoco/robotics/goals.h"

namespace parallel_pool::mujoco::robotics {

class ShadowHand final : public Simulation {
 public:
  static constexpr PictureStyle kStyle = {
      .distance = .5, .azimuth = 55, .elevation = -25, .is_fixed = true, .place = {1, .96, .14}};
  static constexpr int kFrameSkip = 20;
  static constexpr int kJoints = 24;

  ShadowHand(const Model& model, unsigned reads) : Simulation(model, reads) {
    SenseAtEndOnly();
    for (int i = 0; i < model->njnt; ++i) {
      if (std::strncmp(model->names + model->name_jntadr[i], "robot", 5) != 0) continue;
      qpos_.push_back(model->jnt_qposadr[i]);
      qvel_.push_back(model->jnt_dofadr[i]);
    }
  }

  static Space Actions(const mjModel& model) {
    return Box({static_cast<int32_t>(model.nu)}, {-1}, {1});
  }

  // Holds controls: from -1 to 1, of the range of each.
  Simulation& Act(View<const AnyFloat> action) {
    for (int i = 0; i < model().nu; ++i) SetControl(i, std::clamp(action[i], -1.0, 1.0));
    Hold(kFrameSkip);
    return *this;
  }
  // Holds the middle of all ranges, and makes the steps.
  void Rest() {
    for (int i = 0; i < model().nu; ++i) SetControl(i, 0);
    Hold(kFrameSkip);
    AdvanceAlone(*this);
  }

  // Writes the positions and speeds of the joints.
  void Observe(Row& row) const {
    for (const int i : qpos_) row.Add(data().qpos + i, 1);
    for (const int i : qvel_) row.Add(data().qvel + i, 1);
  }

 private:
  void SetControl(int i, double action) {
    const mjtNum low = model().actuator_ctrlrange[2 * i];
    const mjtNum high = model().actuator_ctrlrange[2 * i + 1];
    data().ctrl[i] = Clip((high + low) / 2 + action * ((high - low) / 2), low, high);
  }

  std::vector<int> qpos_, qvel_;  // addresses of the joints of the hand
};

}  // namespace parallel_pool::mujoco::robotics
