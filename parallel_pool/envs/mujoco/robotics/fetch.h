// A robot arm that moves a gripper, pushes, slides or lifts a puck or a box: Gymnasium-Robotics
// 1.4.2's Fetch-v4. Its base is fixed; a mocap body pulls the gripper.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"
#include "parallel_pool/envs/mujoco/robotics/goals.h"

namespace parallel_pool::mujoco::robotics {

struct FetchTask {
  const char *name, *model;
  bool has_object = true;
  bool is_blocked = true;                         // the fingers stay closed
  bool is_in_the_air = false;                     // half of the goals are above the table
  double target_offset = 0;                       // of goals along x, m
  double object_range = .15, target_range = .15;  // of first places, m
  double extra_height = 0;                        // of the first gripper, m
  double base = .405;                             // x of the robot, m
  double object[3] = {1.25, .53, .4};             // m
};

// All envs of a task share it.
struct FetchScene {
  // The state in which the gripper has come to rest at its first place.
  std::vector<double> qpos, qvel;
  double time = 0, gripper[3] = {};
  double object_height = 0;  // m
  // Numbers of elements, and addresses in qpos and qvel.
  int grip = -1, object = -1, target = -1;  // sites
  int pulled = -1;                          // the body that follows the mocap body
  int object_qpos = -1;
  int finger_qpos[2] = {}, finger_qvel[2] = {};
};

class Fetch {
 public:
  static constexpr PictureStyle kStyle = {.distance = 2.5,
                                          .azimuth = 132,
                                          .elevation = -14,
                                          .is_fixed = true,
                                          .place = {1.3, .75, .55}};

  struct Config {
    static constexpr int frame_skip = 20;
    std::string reward_type = kRewardTypes[0];
    const FetchTask* task = nullptr;
    Model model = nullptr;
    std::shared_ptr<const FetchScene> scene = nullptr;
  };
  // The way of the gripper, and the fingers.
  struct Action { View<const AnyFloat> move; };
  struct State : GoalState { View<float> is_success; };

  static Options<Config> Describe() {
    return {Option<&Config::reward_type>("reward_type", kRewardTypeDoc, OneOf(kRewardTypes))};
  }
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static unsigned ReadsOf(const Config&) { return kNothing; }

  static int GoalSize(const Config&) { return 3; }
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired);

  Fetch(const Config& config, Rng& rng);

  void Reset();
  Simulation& Act(const Action& action);
  Outcome Judge(const Action&);

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, goal_); }
  void Observe(const State& state) const;
  void Mark(mjData& drawn) const;

 private:
  const double* Achieved() const;
  // The speed of a site, or its angular speed, times the time of an action: 3 numbers.
  void Move(int site, bool is_angular, double* move) const;

  const Config config_;
  const FetchTask& task_;
  const FetchScene& scene_;
  Simulation robot_;
  Rng& rng_;
  std::vector<double> start_;  // qpos
  double goal_[3] = {};
};

}  // namespace parallel_pool::mujoco::robotics
