#include "parallel_pool/envs/vizdoom/envpool/stacked_tasks.h"

#include <string>
#include <utility>

#include "parallel_pool/envs/vizdoom/envpool/stacked_env.h"

namespace parallel_pool::vizdoom {
namespace {

constexpr int kMaxEpisodeSteps = 525;

struct Task { const char *name, *scenario, *game_args = ""; };

// EnvPool names a task by its scenario in camel case.
// Maps that are made for several players have no place for the player of another kind of game.
constexpr const char* kMatchOfOne = "-host 1 -deathmatch";
constexpr Task kTasks[] = {
    {"Basic", "basic"},
    {"BasicAudio", "basic_audio"},
    {"BasicNotifications", "basic_notifications"},
    {"Cig", "cig", kMatchOfOne},
    {"DeadlyCorridor", "deadly_corridor"},
    {"Deathmatch", "deathmatch"},
    {"DefendTheCenter", "defend_the_center"},
    {"DefendTheLine", "defend_the_line"},
    {"HealthGathering", "health_gathering"},
    {"HealthGatheringSupreme", "health_gathering_supreme"},
    {"MultiDuel", "multi_duel", kMatchOfOne},
    {"MyWayHome", "my_way_home"},
    {"PredictPosition", "predict_position"},
    {"RocketBasic", "rocket_basic"},
    {"SimplerBasic", "simpler_basic"},
    {"TakeCover", "take_cover"},
};

// The first two scenarios of "Learning to Act by Predicting the Future" (Dosovitskiy and Koltun,
// 2017). Their maps are those of two scenarios of the package.
constexpr Task kFirstTasksOfPaper[] = {
    {"D1Basic", "health_gathering"},
    {"D2Navigation", "health_gathering_supreme"},
};
// The other two, whose maps the package does not have.
constexpr Task kLastTasksOfPaper[] = {{"D3Battle", "D3_battle"}, {"D4Battle2", "D4_battle2"}};

void Add(Registry& registry, const char* name, StackedEnv::Config config) {
  registry.Add<StackedEnv>(name + std::string("-v1"), {.max_episode_steps = kMaxEpisodeSteps},
                           std::move(config));
}

// Both have this scenario, but for the maps.
StackedEnv::Config ConfigOfPaper(const std::string& maps) {
  StackedEnv::Config config;
  config.wad_file = maps + ".wad";
  config.screen_format = "GRAY8";
  config.render_weapon = config.render_decals = config.render_particles = false;
  config.available_buttons = {"TURN_LEFT\nTURN_RIGHT\nMOVE_FORWARD"};
  config.available_game_variables = {"HEALTH"};
  return config;
}

}  // namespace

void AddStackedTasks(Registry& registry) {
  for (const Task& task : kTasks) {
    StackedEnv::Config config;
    config.config_file = task.scenario + std::string(".cfg");
    config.wad_file = task.scenario + std::string(".wad");
    config.more_game_args = task.game_args;
    Add(registry, task.name, std::move(config));
  }
  for (const Task& task : kFirstTasksOfPaper) {
    Add(registry, task.name, ConfigOfPaper(task.scenario));
  }
  for (const Task& task : kLastTasksOfPaper) {
    StackedEnv::Config config;
    config.missing = std::string(task.scenario) + ".cfg and " + task.scenario +
                     ".wad come with \"Learning to Act by Predicting the Future\" and with "
                     "EnvPool; the package vizdoom does not have them";
    Add(registry, task.name, std::move(config));
  }
  StackedEnv::Config custom;
  custom.missing = "the .cfg file and the .wad file of a scenario of your own";
  Add(registry, "VizdoomCustom", std::move(custom));
}

}  // namespace parallel_pool::vizdoom
