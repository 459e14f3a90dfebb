// MetaWorld 3.1.1's tasks for one robot arm (McLean et al. 2025), with the rewards of version 2.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/metaworld/goals.h"
#include "parallel_pool/envs/mujoco/metaworld/task.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco::metaworld {

class MetaWorld {
 public:
  static constexpr PictureStyle kStyle = {};
  static constexpr int kNumbers = 39;  // of an observation, without the number of the task

  struct Config : GoalConfig {
    static constexpr int frame_skip = 5;
    bool observe_goal = true, terminate_on_success = false, use_one_hot = false;
    int task_index = 0, num_tasks = 1;
    std::string reward_function_version = "v2";
    const TaskKind* task = nullptr;
    Model model = nullptr;
    std::shared_ptr<Rests> rests;
  };
  using ResetOptions = GoalResetOptions;
  // The way of the hand, and the fingers: above 0 they close.
  struct Action { View<const AnyFloat> move; };
  struct State {
    View<double> obs;
    View<double> success, near_object, grasp_success, grasp_reward, in_place_reward;
    View<double> obj_to_target, unscaled_reward, success_once;
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static unsigned ReadsOf(const Config&) { return kNothing; }

  MetaWorld(const Config& config, Rng& rng);
  MetaWorld(const MetaWorld&) = delete;  // its task refers to its robot

  void Seed(uint64_t seed) { goals_.Seed(seed); }
  void Reset(const ResetOptions& options);
  Simulation& Act(const Action& action) {
    sawyer_.Move(action.move);
    return sawyer_.simulation();
  }
  Outcome Judge(const Action& action);

  const Simulation& simulation() const { return sawyer_.simulation(); }
  auto Saved() {
    return std::tie(sawyer_.world(), sawyer_.episode(), goals_.state(), obs_, judged_,
                    success_once_);
  }
  void Observe(const State& state) const;

 private:
  // Fills `obs_`, and keeps what is seen for the next one.
  void See(bool is_first);

  // The bounds of an observation.
  struct Bounds { std::vector<double> low, high; };
  static Bounds BoundsOf(const Config& config);

  const Bounds bounds_;
  Sawyer sawyer_;
  std::unique_ptr<Task> task_;
  Goals goals_;
  const bool observes_goal_, terminates_;
  const int one_hot_;  // the number of the task in an observation; -1: there is none
  std::array<double, kNumbers> obs_ = {};
  Judged judged_;
  double success_once_ = 0;  // 1: a step of the episode was a success
};

}  // namespace parallel_pool::mujoco::metaworld
