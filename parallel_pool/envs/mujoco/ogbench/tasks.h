// The tasks of OGBench.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/ogbench/goal_task.h"
#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::ogbench {

void AddMazes(const PicturedRegistry& registry);
void AddArms(const PicturedRegistry& registry);

// Adds `name` as a task of each reset's choice, and with one task: its default, or a number. The
// latter have a `config` that `single` has changed.
template <class Env, class F>
void AddSeven(const PicturedRegistry& registry, const std::string& name, int steps,
              typename Env::Config config, const F& single) {
  registry.Add<Env>(name + "-v0", {.max_episode_steps = steps}, config);
  const TaskDefaults singletask = {.max_episode_steps = steps, .twin_of = name + "-v0"};
  config.success_timing = kTimings[1];
  single(config);
  for (int task = 0; task <= kNumTasks; ++task) {
    config.reward_task_id = task;
    const std::string number = task == 0 ? "" : "-task" + std::to_string(task);
    registry.Add<Env>(name + "-singletask" + number + "-v0", singletask, config);
  }
}

}  // namespace parallel_pool::mujoco::ogbench
