#include "parallel_pool/envs/mujoco/metaworld/tasks.h"

#include <cctype>
#include <string>

#include "parallel_pool/envs/mujoco/metaworld/env.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

constexpr int kSteps = 500;  // of an episode

// EnvPool's id of a task, such as MetaWorld/ButtonPress-v3 of button-press-v3.
std::string LongId(const std::string& name) {
  std::string id = "MetaWorld/";
  const size_t version = name.rfind('-');
  bool begins_word = true;
  for (const char c : name.substr(0, version)) {
    if (c != '-') id += begins_word ? static_cast<char>(std::toupper(c)) : c;
    begins_word = c == '-';
  }
  return id + name.substr(version);
}

}  // namespace

void AddTasks(const PicturedRegistry& registry) {
  for (const TaskKind* const task : AllTasks()) {
    MetaWorld::Config config;
    config.task = task;
    const std::string name = task->info.name;
    registry.Add<MetaWorld>(name, {.max_episode_steps = kSteps}, config);
    registry.Add<MetaWorld>(LongId(name), {.max_episode_steps = kSteps, .twin_of = name}, config);
  }
}

}  // namespace parallel_pool::mujoco::metaworld
