#include "parallel_pool/envs/mujoco/metaworld/task.h"

#include <stdexcept>

namespace parallel_pool::mujoco::metaworld {

const std::vector<const TaskKind*>& AllTasks() {
  static const std::vector<const TaskKind*> all = [] {
    std::vector<const TaskKind*> found;
    for (const auto& tasks :
         {Buttons(), Doors(), Handles(), Holes(), Levers(), Lifts(), Locks(), Mugs(), Pegs(),
          Plates(), Pucks(), Sticks(), Sweeps(), Tools(), Walls()}) {
      for (const TaskKind& task : tasks) found.push_back(&task);
    }
    return found;
  }();
  return all;
}

const TaskKind& FindTask(const std::string& name) {
  for (const TaskKind* const task : AllTasks()) {
    if (name == task->info.name) return *task;
  }
  throw std::invalid_argument("MetaWorld has no task " + name);
}

}  // namespace parallel_pool::mujoco::metaworld
