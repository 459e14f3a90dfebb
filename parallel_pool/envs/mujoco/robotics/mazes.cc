#include <string>
#include <utility>

#include "parallel_pool/envs/mujoco/robotics/ant_maze.h"
#include "parallel_pool/envs/mujoco/robotics/point_maze.h"
#include "parallel_pool/envs/mujoco/robotics/tasks.h"

namespace parallel_pool::mujoco::robotics {
namespace {

struct Task {
  const char* name;
  const char* map;
  int point_steps, ant_steps;  // time limits
};

constexpr Task kTasks[] = {
    {"UMaze", "11111\n10001\n11101\n10001\n11111", 300, 700},
    {"Open", "1111111\n1000001\n1000001\n1000001\n1111111", 300, 700},
    {"Open_Diverse_G", "1111111\n1rgggg1\n1ggggg1\n1ggggg1\n1111111", 300, 700},
    {"Open_Diverse_GR", "1111111\n1ccccc1\n1ccccc1\n1ccccc1\n1111111", 300, 700},
    {"Medium", "11111111\n10011001\n10010001\n11000111\n10010001\n10100101\n10001001\n11111111",
     600, 1000},
    {"Medium_Diverse_G",
     "11111111\n1r011001\n100100g1\n11000111\n10010001\n1g100101\n10001g01\n11111111", 600, 1000},
    {"Medium_Diverse_GR",
     "11111111\n1c011001\n100100c1\n11000111\n10010001\n1c100101\n10001c01\n11111111", 600, 1000},
    {"Large",
     "111111111111\n100001000001\n101101010101\n100000010001\n101111011101\n100101000001\n"
     "110101010111\n100100010001\n111111111111",
     800, 1000},
    {"Large_Diverse_G",
     "111111111111\n1r0001g00001\n101101010101\n10000g0100g1\n101111011101\n10g101000001\n"
     "110101010111\n1001g0g10g01\n111111111111",
     800, 1000},
    {"Large_Diverse_GR",
     "111111111111\n1c0001c00001\n101101010101\n10000c0100c1\n101111011101\n10c101000001\n"
     "110101010111\n1001c0c10c01\n111111111111",
     800, 1000}};

template <class Env>
void Add(const PicturedRegistry& registry, const std::string& agent, const std::string& version,
         const std::string& newest, int Task::* steps) {
  for (const Task& task : kTasks) {
    for (const char* const type : kRewardTypes) {
      typename Env::Config config;
      config.maze_map = {task.map};
      config.reward_type = type;
      const std::string name = agent + "_" + task.name;
      registry.Add<Env>(name + (IsDense(type) ? "Dense" : "") + version,
                        {.max_episode_steps = task.*steps, .twin_of = name + newest},
                        std::move(config));
    }
  }
}

}  // namespace

void AddMazes(const PicturedRegistry& registry) {
  Add<PointMaze>(registry, "PointMaze", "-v3", "-v3", &Task::point_steps);
  Add<AntMaze<5>>(registry, "AntMaze", "-v5", "-v5", &Task::ant_steps);
  Add<AntMaze<4>>(registry, "AntMaze", "-v4", "-v5", &Task::ant_steps);
  Add<AntMaze<3>>(registry, "AntMaze", "-v3", "-v5", &Task::ant_steps);
}

}  // namespace parallel_pool::mujoco::robotics
