#include <string>

#include "parallel_pool/envs/mujoco/ogbench/arm_env.h"
#include "parallel_pool/envs/mujoco/ogbench/tasks.h"

namespace parallel_pool::mujoco::ogbench {
namespace {

constexpr Box3 kBeforeDrawer = {{.25, -.2, .2}, {.6, .2, .35}};
constexpr Box3 kLow = {{.25, -.2, .2}, {.6, .2, .25}};  // above a puzzle

struct Named {
  const char* name;
  int max_episode_steps;
  ArmScene scene;
};

constexpr Named kAll[] = {
    {"cube-single", 200, {}},
    {"cube-double", 500, {}},
    {"cube-triple", 1000, {}},
    {"cube-quadruple", 1000, {}},
    {"cube-octuple", 1500, {}},
    {"scene", 750, {.places = kBeforeDrawer}},
    {"puzzle-3x3", 500, {.default_task = 4, .columns = 3, .places = kLow}},
    {"puzzle-4x4", 500, {.default_task = 4, .columns = 4, .places = kLow}},
    {"puzzle-4x5", 1000, {.columns = 5, .places = kLow}},
    {"puzzle-4x6", 1000, {.columns = 6, .places = kLow}},
};

}  // namespace

void AddArms(const PicturedRegistry& registry) {
  for (const Named& each : kAll) {
    ArmEnv::Config config;
    config.scene = &each.scene;
    config.file = std::string(each.name) + ".xml";
    AddSeven<ArmEnv>(registry, each.name, each.max_episode_steps, config,
                     [](ArmEnv::Config& single) { single.permute_blocks = false; });
  }
}

}  // namespace parallel_pool::mujoco::ogbench
