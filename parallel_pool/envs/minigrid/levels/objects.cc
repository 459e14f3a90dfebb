#include <string>

#include "parallel_pool/envs/minigrid/add.h"
#include "parallel_pool/envs/minigrid/levels/door_key.h"
#include "parallel_pool/envs/minigrid/levels/fetch.h"
#include "parallel_pool/envs/minigrid/levels/go_to_door.h"
#include "parallel_pool/envs/minigrid/levels/go_to_object.h"
#include "parallel_pool/envs/minigrid/levels/levels.h"
#include "parallel_pool/envs/minigrid/levels/locked_room.h"
#include "parallel_pool/envs/minigrid/levels/memory.h"
#include "parallel_pool/envs/minigrid/levels/playground.h"
#include "parallel_pool/envs/minigrid/levels/put_near.h"
#include "parallel_pool/envs/minigrid/levels/red_blue_doors.h"

namespace parallel_pool::minigrid {
namespace {

// MiniGrid-<name>-<size>x<size>-v0 for each size.
template <class Level>
void AddSquares(Registry& registry, const std::string& name, std::initializer_list<int> sizes) {
  for (const int size : sizes) {
    typename Level::Config config;
    config.size = size;
    const std::string number = std::to_string(size);
    Add<Level>(registry, "MiniGrid-" + name + "-" + number + "x" + number + "-v0", config);
  }
}

struct Sizes { int size, num_objs; };

// MiniGrid-<name>-<size>x<size>-N<num_objs>-v0 for each pair.
template <class Level>
void AddCrowds(Registry& registry, const std::string& name, std::initializer_list<Sizes> all) {
  for (const auto& [size, num_objs] : all) {
    typename Level::Config config;
    config.size = size;
    config.num_objs = num_objs;
    const std::string number = std::to_string(size);
    Add<Level>(
        registry,
        "MiniGrid-" + name + "-" + number + "x" + number + "-N" + std::to_string(num_objs) + "-v0",
        config);
  }
}

void AddMemory(Registry& registry) {
  for (const int size : {7, 9, 11, 13, 17}) {
    Memory::Config config;
    config.size = size;
    const std::string name = "MiniGrid-MemoryS" + std::to_string(size);
    if (size < 17) Add<Memory>(registry, name + "-v0", config);
    config.random_length = true;
    if (size > 11) Add<Memory>(registry, name + "Random-v0", config);
  }
}

}  // namespace

void AddObjects(Registry& registry) {
  AddSquares<DoorKey>(registry, "DoorKey", {5, 6, 8, 16});
  AddSquares<GoToDoor>(registry, "GoToDoor", {5, 6, 8});
  AddSquares<RedBlueDoors>(registry, "RedBlueDoors", {6, 8});
  AddCrowds<Fetch>(registry, "Fetch", {{5, 2}, {6, 2}, {8, 3}});
  AddCrowds<GoToObject>(registry, "GoToObject", {{6, 2}, {8, 2}});
  AddCrowds<PutNear>(registry, "PutNear", {{6, 2}, {8, 3}});
  AddMemory(registry);
  Add<LockedRoom>(registry, "MiniGrid-LockedRoom-v0");
  Add<Playground>(registry, "MiniGrid-Playground-v0");
}

}  // namespace parallel_pool::minigrid
