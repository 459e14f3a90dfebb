#include <initializer_list>
#include <string>
#include <utility>

#include "parallel_pool/envs/mujoco/ogbench/maze_env.h"
#include "parallel_pool/envs/mujoco/ogbench/tasks.h"

namespace parallel_pool::mujoco::ogbench {
namespace {

using PointMaze = MazeEnv<Crawler<Legs::kNone>>;
using AntMaze = MazeEnv<Crawler<Legs::kFour>>;
using AntSoccer = MazeEnv<Crawler<Legs::kFourAndBall>>;
using HumanoidMaze = MazeEnv<Humanoid>;

// The task of each reset's choice, and the same maze with one task: its default, or a number.
template <class Env>
void Add(const PicturedRegistry& registry, const std::string& walker, const char* map, int steps) {
  typename Env::Config config;
  config.map = &FindMap(map);
  const std::string name = walker + "-" + map;
  registry.Add<Env>(name + "-v0", {.max_episode_steps = steps}, config);
  const TaskDefaults singletask = {.max_episode_steps = steps, .twin_of = name + "-v0"};
  config.success_timing = kTimings[1];
  config.add_noise_to_goal = false;
  for (int task = 0; task <= 5; ++task) {
    config.reward_task_id = task;
    const std::string number = task == 0 ? "" : "-task" + std::to_string(task);
    registry.Add<Env>(name + "-singletask" + number + "-v0", singletask, config);
  }
}

}  // namespace

void AddMazes(const PicturedRegistry& registry) {
  for (const char* const map : {"medium", "large", "giant", "teleport"}) {
    Add<PointMaze>(registry, "pointmaze", map, 1000);
    Add<AntMaze>(registry, "antmaze", map, 1000);
  }
  for (const auto& [map, steps] : {std::pair{"medium", 2000}, {"large", 2000}, {"giant", 4000}}) {
    Add<HumanoidMaze>(registry, "humanoidmaze", map, steps);
  }
  for (const char* const map : {"arena", "medium"}) {
    Add<AntSoccer>(registry, "antsoccer", map, 1000);
  }
}

}  // namespace parallel_pool::mujoco::ogbench
