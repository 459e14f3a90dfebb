#include "parallel_pool/envs/minigrid/rooms/rooms.h"

#include <string>

#include "parallel_pool/envs/minigrid/add.h"
#include "parallel_pool/envs/minigrid/rooms/key_corridor.h"
#include "parallel_pool/envs/minigrid/rooms/obstructed_maze.h"
#include "parallel_pool/envs/minigrid/rooms/unlock.h"

namespace parallel_pool::minigrid {
namespace {

void AddKeyCorridor(Registry& registry) {
  struct Sizes { int room_size, num_rows; };
  for (const auto& [size, rows] : {Sizes{3, 1}, {3, 2}, {3, 3}, {4, 3}, {5, 3}, {6, 3}}) {
    KeyCorridor::Config config;
    config.room_size = size;
    config.num_rows = rows;
    Add<KeyCorridor>(
        registry,
        "MiniGrid-KeyCorridorS" + std::to_string(size) + "R" + std::to_string(rows) + "-v0",
        config);
  }
}

void AddTwoRooms(Registry& registry, const char* name, bool key_in_box, bool blocked) {
  ObstructedMaze::Config config;
  config.key_in_box = key_in_box;
  config.blocked = blocked;
  Add<ObstructedMaze_1Dlhb>(registry, std::string("MiniGrid-ObstructedMaze-") + name + "-v0",
                            config);
}

struct Maze {
  const char* name;
  int agent_column, num_quarters, num_rooms_visited;
  bool key_in_box = true, blocked = true;
};

template <int version>
void AddMazes(Registry& registry, std::initializer_list<Maze> mazes) {
  using Level = ObstructedMaze_Full<version>;
  for (const Maze& maze : mazes) {
    typename Level::Config config;
    config.agent_room = {static_cast<double>(maze.agent_column), 1};
    config.num_quarters = maze.num_quarters;
    config.num_rooms_visited = maze.num_rooms_visited;
    config.key_in_box = maze.key_in_box;
    config.blocked = maze.blocked;
    Add<Level>(registry,
               std::string("MiniGrid-ObstructedMaze-") + maze.name + "-v" + std::to_string(version),
               config);
  }
}

}  // namespace

void AddRooms(Registry& registry) {
  Add<Unlock>(registry, "MiniGrid-Unlock-v0");
  Add<UnlockPickup>(registry, "MiniGrid-UnlockPickup-v0");
  Add<BlockedUnlockPickup>(registry, "MiniGrid-BlockedUnlockPickup-v0");
  AddKeyCorridor(registry);
  AddTwoRooms(registry, "1Dl", false, false);
  AddTwoRooms(registry, "1Dlh", true, false);
  AddTwoRooms(registry, "1Dlhb", true, true);
  AddMazes<0>(registry, {{"2Dl", 2, 1, 4, false, false},
                         {"2Dlh", 2, 1, 4, true, false},
                         {"2Dlhb", 2, 1, 4},
                         {"1Q", 1, 1, 5},
                         {"2Q", 2, 2, 11},
                         {"Full", 1, 4, 25}});
  AddMazes<1>(registry,
              {{"2Dlhb", 2, 1, 4}, {"1Q", 1, 1, 5}, {"2Q", 2, 2, 11}, {"Full", 1, 4, 25}});
}

}  // namespace parallel_pool::minigrid
