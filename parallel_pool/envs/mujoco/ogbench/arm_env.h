// A robot arm that moves cubes, presses buttons, and opens a drawer and a window: OGBench 1.2.2's
// cube, puzzle and scene (Park et al. 2025).
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/own_world.h"
#include "parallel_pool/envs/mujoco/ogbench/arm.h"
#include "parallel_pool/envs/mujoco/ogbench/goal_task.h"
#include "parallel_pool/envs/mujoco/ogbench/objects.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco::ogbench {

struct ArmScene {
  int default_task = 2;
  int columns = 0;                                  // of a puzzle; 0: it is none
  Box3 places = {{.25, -.35, .2}, {.6, .35, .35}};  // of the gripper at first
};

class ArmEnv {
 public:
  static constexpr PictureStyle kStyle = {.camera = "front", .width = 200, .height = 200};

  struct Config : GoalConfig {
    std::string file;  // of the model
    const ArmScene* scene = nullptr;
    bool permute_blocks = true, visualize_info = true;
    double physics_timestep = .002, control_timestep = .05;
    int frame_skip = 25, goal_numbers = 0;
    Model model = nullptr, arm = nullptr;
    std::shared_ptr<const std::vector<ArmTask>> tasks = nullptr;
  };
  struct ResetOptions {
    int task_id = 0;
    Arrays task_info;

    static Options<ResetOptions> Describe();
  };
  // How the gripper moves: along x, y and z, about z, and its fingers.
  struct Action { View<const AnyFloat> move; };
  struct State : Objects::State {
    View<double> obs;
    View<double> joint_pos, joint_vel, effector_pos, effector_yaw;
    View<double> gripper_opening, gripper_vel, gripper_contact;
    View<double> prev_qpos, prev_qvel, qpos, qvel, control, time;
    View<double> goal;
    View<bool> success;
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static unsigned ReadsOf(const Config&) { return kSites | kSiteAxes | kContactForces; }

  ArmEnv(const Config& config, Rng& rng);

  void Seed(uint64_t seed) { streams_.Seed(seed); }
  void Reset(const ResetOptions& options);
  Simulation& Act(const Action& action);
  Outcome Judge(const Action&);

  const Simulation& simulation() const { return world_.simulation(); }
  auto Saved() {
    return std::tuple_cat(objects_.Saved(), std::tie(streams_, goal_, prev_qpos_, prev_qvel_,
                                                     succeeds_, succeeded_, reward_));
  }
  void Observe(const State& state) const;

 private:
  ArmTask TaskOf(const ResetOptions& options);
  // A step before an episode, by random controls.
  void Settle();
  // Before a step, and after it.
  void Remember();
  void Evaluate();
  void Conclude();  // what the step tells
  bool IsPuzzle() const { return config_.scene->columns > 0; }

  const Config config_;
  OwnWorld world_;
  Arm arm_;
  Rng& rng_;
  Objects objects_;
  Streams streams_;
  std::vector<double> goal_;
  std::vector<double> prev_qpos_, prev_qvel_;  // before the last step
  bool succeeds_ = false;                      // the state, after the last step
  bool succeeded_ = false;                     // of the last step, as success_timing says
  double reward_ = 0;
};

}  // namespace parallel_pool::mujoco::ogbench
