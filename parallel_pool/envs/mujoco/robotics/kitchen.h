// A robot arm opens, turns and moves things in a kitchen: Gymnasium-Robotics 1.4.2's
// FrankaKitchen-v1 (Gupta et al. 2019). An episode has up to seven subtasks, each with a goal of
// some positions of joints.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco::robotics {

class Kitchen {
 public:
  static constexpr PictureStyle kStyle = {
      .distance = 2.2, .azimuth = 70, .elevation = -35, .is_fixed = true, .place = {-.2, .5, 2}};
  static constexpr int kSubtasks = 7, kRobotJoints = 9;

  struct Config {
    static constexpr int frame_skip = 40;
    Lines tasks_to_complete = {
        "bottom burner\ntop burner\nlight switch\nslide cabinet\n"
        "hinge cabinet\nmicrowave\nkettle"};
    bool terminate_on_tasks_completed = true, remove_task_when_completed = true;
    double robot_noise_ratio = .01, object_noise_ratio = .0005;
    uint32_t chosen = 0;  // a bit for each subtask of tasks_to_complete
    Model model = nullptr;
  };
  struct Action { View<const double> speed; };
  struct State {
    View<double> observation;
    // The arrays of subtask 0, and those of the others.
    View<double> achieved, more_achieved[kSubtasks - 1];
    View<double> desired, more_desired[kSubtasks - 1];
    View<bool> to_complete, step_completed, episode_completed;
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static unsigned ReadsOf(const Config&) { return kNothing; }

  Kitchen(const Config& config, Rng& rng);

  void Reset();
  Simulation& Act(const Action& action);
  Outcome Judge(const Action&);

  const Simulation& simulation() const { return world_; }
  auto Saved() { return std::tie(world_, seen_, progress_); }
  void Observe(const State& state) const;

 private:
  // Draws the noise of an observation.
  void See();

  const Config config_;
  Simulation world_;
  Rng& rng_;
  const std::vector<double> at_rest_;  // speeds
  std::vector<double> seen_;           // the observation: positions and speeds, with noise
  struct { uint32_t left, done, done_now; } progress_ = {};  // a bit for each subtask
};

}  // namespace parallel_pool::mujoco::robotics
