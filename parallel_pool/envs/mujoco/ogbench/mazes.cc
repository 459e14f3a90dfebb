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

template <class Env>
void Add(const PicturedRegistry& registry, const std::string& walker, const char* map, int steps) {
  typename Env::Config config;
  config.map = &FindMap(map);
  AddSeven<Env>(registry, walker + "-" + map, steps, config,
                [](auto& single) { single.add_noise_to_goal = false; });
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
