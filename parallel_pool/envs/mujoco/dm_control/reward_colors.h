// Colors that show the reward in pictures: the option visualize_reward.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "parallel_pool/envs/mujoco/dm_control/physics.h"

namespace parallel_pool::mujoco::dm_control {

// The colors of a robot, its effector and its target, which become brighter with the reward.
class RewardColors {
 public:
  explicit RewardColors(Physics& physics) {
    float* const colors = physics.Edit(&mjModel::mat_rgba, 4 * physics.model().nmat);
    const auto find = [&](const std::string& name) {
      return colors + 4 * physics.FindId(mjOBJ_MATERIAL, name.c_str());
    };
    for (size_t i = 0; i < materials_.size(); ++i) {
      const std::string name = kNames[i];
      materials_[i] = {find(name), find(name + "_default"), find(name + "_highlight")};
    }
  }

  void Show(double reward) {
    // Not in proportion: differences between high rewards are seen better.
    const double highlight = std::pow(std::clamp(reward, 0.0, 1.0), 4);
    for (const Material& one : materials_) {
      for (int i = 0; i < 4; ++i) {
        one.shown[i] = static_cast<float>(highlight * one.most[i] + (1 - highlight) * one.least[i]);
      }
    }
  }

 private:
  // Three colors (red, green, blue, alpha) in the model.
  struct Material {
    float* shown;
    const float *least, *most;  // with the rewards 0 and 1
  };
  static constexpr std::array<const char*, 3> kNames = {"self", "effector", "target"};

  std::array<Material, kNames.size()> materials_;
};

}  // namespace parallel_pool::mujoco::dm_control
