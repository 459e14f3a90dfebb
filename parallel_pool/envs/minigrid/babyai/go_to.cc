#include "parallel_pool/envs/minigrid/babyai/go_to.h"

#include <string>

#include "parallel_pool/envs/minigrid/add.h"
#include "parallel_pool/envs/minigrid/babyai/babyai.h"
#include "parallel_pool/envs/minigrid/babyai/put_next.h"

namespace parallel_pool::minigrid::babyai {
namespace {

// The numbers of a level's id: S is the size of rooms, N the number of objects.
struct Sizes {
  const char* name;
  int room_size, objects;
};

struct Maze {
  const char* name;
  int room_size, rooms, num_dists;  // rooms in a row and in a column
  bool doors_open = false;
};

void AddGoToObj(Registry& registry) {
  for (const auto& [name, size] :
       {std::pair{"GoToObj-v0", 8}, {"GoToObjS4-v0", 4}, {"GoToObjS6-v1", 6}}) {
    GoToObj::Config config;
    config.room_size = size;
    Add<GoToObj>(registry, std::string("BabyAI-") + name, config);
  }
}

void AddGoToLocal(Registry& registry) {
  for (const auto& [name, size, objects] : {Sizes{"", 8, 8},
                                            {"S5N2", 5, 2},
                                            {"S6N2", 6, 2},
                                            {"S6N3", 6, 3},
                                            {"S6N4", 6, 4},
                                            {"S7N4", 7, 4},
                                            {"S7N5", 7, 5},
                                            {"S8N2", 8, 2},
                                            {"S8N3", 8, 3},
                                            {"S8N4", 8, 4},
                                            {"S8N5", 8, 5},
                                            {"S8N6", 8, 6},
                                            {"S8N7", 8, 7}}) {
    GoToLocal::Config config;
    config.room_size = size;
    config.num_dists = objects;
    Add<GoToLocal>(registry, std::string("BabyAI-GoToLocal") + name + "-v0", config);
  }
}

void AddGoToAny(Registry& registry) {
  for (const auto& [name, size, rooms, objects, doors_open] : {Maze{"GoTo", 8, 3, 18},
                                                               {"GoToOpen", 8, 3, 18, true},
                                                               {"GoToObjMaze", 8, 3, 1},
                                                               {"GoToObjMazeOpen", 8, 3, 1, true},
                                                               {"GoToObjMazeS4R2", 4, 2, 1},
                                                               {"GoToObjMazeS4", 4, 3, 1},
                                                               {"GoToObjMazeS5", 5, 3, 1},
                                                               {"GoToObjMazeS6", 6, 3, 1},
                                                               {"GoToObjMazeS7", 7, 3, 1}}) {
    GoToAny::Config config;
    config.room_size = size;
    config.num_rows = config.num_cols = rooms;
    config.num_dists = objects;
    config.doors_open = doors_open;
    Add<GoToAny>(registry, std::string("BabyAI-") + name + "-v0", config);
  }
}

void AddPutNext(Registry& registry) {
  for (const auto& [name, size, objects] : {Sizes{"", 8, 8}, {"S5N3", 5, 3}, {"S6N4", 6, 4}}) {
    PutNextLocal::Config config;
    config.room_size = size;
    config.num_objs = objects;
    Add<PutNextLocal>(registry, std::string("BabyAI-PutNextLocal") + name + "-v0", config);
  }
  for (const auto& [name, size, objects] :
       {Sizes{"S4N1", 4, 1}, {"S5N1", 5, 1}, {"S5N2", 5, 2}, {"S6N3", 6, 3}, {"S7N4", 7, 4}}) {
    PutNextRoom::Config config;
    config.room_size = size;
    config.objs_per_room = objects;
    const std::string id = std::string("BabyAI-PutNext") + name;
    Add<PutNextRoom>(registry, id + "-v0", config);
    config.start_carrying = true;
    if (objects > 1) Add<PutNextRoom>(registry, id + "Carrying-v0", config);
  }
  for (const auto& [name, size, objects] : {Sizes{"S5N2", 5, 2}, {"S8N9", 8, 9}}) {
    MoveTwoAcross::Config config;
    config.room_size = size;
    config.objs_per_room = objects;
    Add<MoveTwoAcross>(registry, std::string("BabyAI-MoveTwoAcross") + name + "-v0", config);
  }
}

}  // namespace

void AddGoTo(Registry& registry) {
  GoToRedBall::Config no_others;
  no_others.num_dists = 0;
  Add<GoToRedBall>(registry, "BabyAI-GoToRedBall-v0");
  Add<GoToRedBall>(registry, "BabyAI-GoToRedBallNoDists-v0", no_others);
  Add<GoToRedBallGrey>(registry, "BabyAI-GoToRedBallGrey-v0");
  Add<GoToRedBlueBall>(registry, "BabyAI-GoToRedBlueBall-v0");
  Add<GoToImpUnlock>(registry, "BabyAI-GoToImpUnlock-v0");
  Add<GoToDoor>(registry, "BabyAI-GoToDoor-v0");
  Add<GoToObjDoor>(registry, "BabyAI-GoToObjDoor-v0");
  AddGoToObj(registry);
  AddGoToLocal(registry);
  AddGoToAny(registry);
  AddPutNext(registry);
}

}  // namespace parallel_pool::minigrid::babyai
