#include <string>

#include "parallel_pool/envs/minigrid/add.h"
#include "parallel_pool/envs/minigrid/levels/crossing.h"
#include "parallel_pool/envs/minigrid/levels/dist_shift.h"
#include "parallel_pool/envs/minigrid/levels/dynamic_obstacles.h"
#include "parallel_pool/envs/minigrid/levels/empty.h"
#include "parallel_pool/envs/minigrid/levels/four_rooms.h"
#include "parallel_pool/envs/minigrid/levels/lava_gap.h"
#include "parallel_pool/envs/minigrid/levels/levels.h"
#include "parallel_pool/envs/minigrid/levels/multi_room.h"

namespace parallel_pool::minigrid {
namespace {

std::string Square(int size) {
  return std::to_string(size) + "x" + std::to_string(size);
}

void AddEmpty(Registry& registry) {
  for (const int size : {5, 6, 8, 16}) {
    Empty::Config config;
    config.size = size;
    Add<Empty>(registry, "MiniGrid-Empty-" + Square(size) + "-v0", config);
  }
  for (const int size : {5, 6}) {
    Empty::Config config;
    config.size = size;
    config.agent_start_pos = kAnywhere;
    Add<Empty>(registry, "MiniGrid-Empty-Random-" + Square(size) + "-v0", config);
  }
}

void AddDistShift(Registry& registry) {
  for (const int number : {1, 2}) {
    DistShift::Config config;
    config.strip2_row = number == 1 ? 2 : 5;
    Add<DistShift>(registry, "MiniGrid-DistShift" + std::to_string(number) + "-v0", config);
  }
}

void AddCrossing(Registry& registry) {
  struct Sizes { int size, num_crossings; };
  for (const auto& [size, num_crossings] : {Sizes{9, 1}, {9, 2}, {9, 3}, {11, 5}}) {
    const std::string name =
        "CrossingS" + std::to_string(size) + "N" + std::to_string(num_crossings) + "-v0";
    Crossing::Config config;
    config.size = size;
    config.num_crossings = num_crossings;
    Add<Crossing>(registry, "MiniGrid-Lava" + name, config);
    config.obstacle_type = "wall";
    Add<Crossing>(registry, "MiniGrid-Simple" + name, config);
  }
}

void AddLavaGap(Registry& registry) {
  for (const int size : {5, 6, 7}) {
    LavaGap::Config config;
    config.size = size;
    Add<LavaGap>(registry, "MiniGrid-LavaGapS" + std::to_string(size) + "-v0", config);
  }
}

void AddDynamicObstacles(Registry& registry) {
  struct Sizes { int size, n_obstacles; };
  for (const auto& [size, n_obstacles] : {Sizes{5, 2}, {6, 3}, {8, 4}, {16, 8}}) {
    DynamicObstacles::Config config;
    config.size = size;
    config.n_obstacles = n_obstacles;
    const std::string name = Square(size) + "-v0";
    Add<DynamicObstacles>(registry, "MiniGrid-Dynamic-Obstacles-" + name, config);
    if (size > 6) continue;
    config.agent_start_pos = kAnywhere;
    Add<DynamicObstacles>(registry, "MiniGrid-Dynamic-Obstacles-Random-" + name, config);
  }
}

void AddMultiRoom(Registry& registry) {
  struct Rooms {
    const char* name;
    int number, max_size;
  };
  // N4-S5-v0 has six rooms; v1 corrects that.
  for (const auto& [name, number, max_size] :
       {Rooms{"N2-S4-v0", 2, 4}, {"N4-S5-v0", 6, 5}, {"N4-S5-v1", 4, 5}, {"N6-v0", 6, 10}}) {
    MultiRoom::Config config;
    config.min_num_rooms = config.max_num_rooms = number;
    config.max_room_size = max_size;
    Add<MultiRoom>(registry, std::string("MiniGrid-MultiRoom-") + name, config);
  }
}

}  // namespace

void AddWalks(Registry& registry) {
  AddEmpty(registry);
  AddDistShift(registry);
  AddCrossing(registry);
  AddLavaGap(registry);
  AddDynamicObstacles(registry);
  AddMultiRoom(registry);
  Add<FourRooms>(registry, "MiniGrid-FourRooms-v0");
}

}  // namespace parallel_pool::minigrid
