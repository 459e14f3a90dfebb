#include <string>
#include <utility>

#include "parallel_pool/envs/vizdoom/stacked_tasks.h"
#include "parallel_pool/envs/vizdoom/vizdoom_env.h"

namespace parallel_pool::vizdoom {
namespace {

struct Task { const char *name, *config_file; };

// The scenarios of vizdoom's Gymnasium ids that have no sound and no text.
constexpr Task kTasks[] = {
    {"Basic", "basic.cfg"},
    {"DeadlyCorridor", "deadly_corridor.cfg"},
    {"Deathmatch", "deathmatch.cfg"},
    {"DefendCenter", "defend_the_center.cfg"},
    {"DefendLine", "defend_the_line.cfg"},
    {"HealthGathering", "health_gathering.cfg"},
    {"HealthGatheringSupreme", "health_gathering_supreme.cfg"},
    {"MyWayHome", "my_way_home.cfg"},
    {"PredictPosition", "predict_position.cfg"},
    {"TakeCover", "take_cover.cfg"},
};

void Add(Registry& registry, const Task& task, const char* end, int max_buttons_pressed) {
  VizdoomEnv::Config config;
  config.config_file = task.config_file;
  config.max_buttons_pressed = max_buttons_pressed;
  registry.Add<VizdoomEnv>(std::string("Vizdoom") + task.name + end, {}, std::move(config));
}

}  // namespace
}  // namespace parallel_pool::vizdoom

PARALLEL_POOL_FAMILY(registry) {
  for (const auto& task : parallel_pool::vizdoom::kTasks) {
    parallel_pool::vizdoom::Add(registry, task, "-v1", 1);
    parallel_pool::vizdoom::Add(registry, task, "-MultiBinary-v1", 0);
  }
  parallel_pool::vizdoom::AddStackedTasks(registry);
}
