// Turn and move a block, an egg or a pen with the fingers: Gymnasium-Robotics 1.4.2's
// HandManipulate-v1. A goal is a pose of the object: x, y, z in m and a quaternion.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/envs/mujoco/robotics/rotations.h"
#include "parallel_pool/envs/mujoco/robotics/shadow_hand.h"

namespace parallel_pool::mujoco::robotics {

inline constexpr const char* kTargetPositions[] = {"random", "ignore", "fixed"};
inline constexpr const char* kTargetRotations[] = {"xyz", "z", "parallel"};
inline constexpr const char* kTouches[] = {"sensordata", "boolean", "log"};
inline constexpr const char* kTouchPictures[] = {"on_touch", "always", "off"};

class HandManipulate {
 public:
  static constexpr PictureStyle kStyle = ShadowHand::kStyle;
  static constexpr int kGoal = 7;

  struct Config {
    static constexpr int frame_skip = ShadowHand::kFrameSkip;
    std::string object = "block";  // in the name of the model
    std::string reward_type = kRewardTypes[0];
    std::string target_position = "random", target_rotation = "xyz";
    bool randomize_initial_position = true, randomize_initial_rotation = true;
    double distance_threshold = .01, rotation_threshold = .1;  // m, rad
    bool ignore_z_target_rotation = false;
    bool has_touch = false;
    std::string touch_get_obs = kTouches[0], touch_visualisation = kTouchPictures[0];
    Model model = nullptr;
  };
  struct Action { View<const AnyFloat> control; };
  struct State : GoalState { View<float> is_success; };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static unsigned ReadsOf(const Config& config) {
    return config.has_touch ? lanes::kForceSensors : lanes::kNothing;
  }

  static int GoalSize(const Config&) { return kGoal; }
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired);

  HandManipulate(const Config& config, Rng& rng);

  // After it, the env is as a new one.
  void Seed(uint64_t);
  void Reset();
  Simulation& Act(const Action& action) { return hand_.Act(action.control); }
  Outcome Judge(const Action&) { return JudgeGoal(config_, Pose(), goal_); }

  const Simulation& simulation() const { return hand_; }
  auto Saved() { return std::tie(hand_, goal_); }
  void Observe(const State& state) const;
  void Mark(mjData& drawn) const;
  void Paint(mjvScene& scene) const;

 private:
  const double* Pose() const { return hand_.data().qpos + object_qpos_; }
  // Puts the object on the palm, and lets it come to rest. False: it has fallen off.
  bool Place();
  Quaternion DrawRotation();

  const Config config_;
  ShadowHand hand_;
  Rng& rng_;
  const int object_qpos_, object_qvel_, center_;  // addresses, and a site
  std::vector<int> touches_;                      // numbers of sensors
  double goal_[kGoal] = {};
};

}  // namespace parallel_pool::mujoco::robotics
