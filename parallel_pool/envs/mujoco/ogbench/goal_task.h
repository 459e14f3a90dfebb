// The common parts of mazes and the arm: five tasks, success, and three streams of random numbers.
//
// The reference draws from NumPy's global stream (tasks, places, teleports), the env's (first
// states) and the action space's (steps before an episode). All three begin with the env's seed
// here; reset(seed=) of the reference seeds the second one only.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/random_state.h"

namespace parallel_pool::mujoco::ogbench {

// The option success_timing: whether a step's success is that of the state after it or before it.
inline constexpr const char* kTimings[] = {"post", "pre"};

inline constexpr int kNumTasks = 5;
inline constexpr int kAnyTask = -1;  // of reward_task_id: each reset has another task

struct GoalConfig {
  bool terminate_at_goal = true, use_oracle_rep = false;
  std::string success_timing = kTimings[0];
  int reward_task_id = kAnyTask;

  static Options<GoalConfig> Describe() {
    return {Option<&GoalConfig::terminate_at_goal>("terminate_at_goal", "success ends an episode"),
            Option<&GoalConfig::success_timing>(
                "success_timing", "whether success is of the state after a step, or before: pre",
                OneOf(kTimings)),
            Option<&GoalConfig::reward_task_id>(
                "reward_task_id",
                "the one task, 1 to 5, 0: its default, with a reward of 0 at the goal and less "
                "elsewhere; -1: each reset has another task, with rewards of 0 and 1",
                {.min = kAnyTask, .max = kNumTasks}),
            Option<&GoalConfig::use_oracle_rep>("use_oracle_rep",
                                                "a goal is the part of the state that is wanted")};
  }
  bool IsEarly() const { return success_timing == kTimings[1]; }
  bool HasOneTask() const { return reward_task_id != kAnyTask; }
};

inline constexpr const char* kTaskIdDoc = "number of the task, 1 to 5; 0: drawn";

// NumPy's global stream, and the action space's.
struct Streams {
  RandomState world;
  Rng actions{0};

  void Seed(uint64_t seed) {
    world = RandomState(seed);
    actions = Rng(seed);
  }
  // action_space.sample() of n numbers from -1 to 1.
  void Sample(float* action, int n) {
    for (int i = 0; i < n; ++i) action[i] = static_cast<float>(actions.Uniform(-1, 1));
  }
  // The task of a reset that chooses none: `asked` is its task_id or 0.
  template <class Task>
  const Task& Choose(const std::vector<Task>& tasks, const GoalConfig& config, int default_id,
                     int asked) {
    if (config.reward_task_id == 0) return tasks[default_id - 1];
    if (config.HasOneTask()) return tasks[config.reward_task_id - 1];
    if (asked != 0) return tasks[asked - 1];
    return tasks[world.Integer(tasks.size())];
  }
  auto Saved() { return std::tie(world, actions); }
};

}  // namespace parallel_pool::mujoco::ogbench
