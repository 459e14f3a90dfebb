#include <string>
#include <utility>

#include "parallel_pool/envs/vizdoom/envpool/stacked_tasks.h"
#include "parallel_pool/envs/vizdoom/matches/match_env.h"
#include "parallel_pool/envs/vizdoom/official/vizdoom_env.h"

namespace parallel_pool::vizdoom {
namespace {

// A task of one scenario, with a twin whose actions are MultiBinary.
struct Task { const char *name, *config_file; };

constexpr Task kTasks[] = {
    {"Basic", "basic.cfg"},
    {"BasicAudio", "basic_audio.cfg"},
    {"BasicNotifications", "basic_notifications.cfg"},
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

// A whole game, with a task for each map and difficulty.
struct WholeGame {
  const char *name, *config_file;
  bool has_episodes;  // maps E1M1 to E4M9, else MAP01 to MAP32
};

constexpr WholeGame kWholeGames[] = {
    {"Doom", "doom.cfg", true},
    {"Doom2", "doom2.cfg", false},
    {"Freedoom1", "freedoom1.cfg", true},
    {"Freedoom2", "freedoom2.cfg", false},
};
constexpr int kHardest = 5;
// The maps of the competition at CIG 2016, for several players. In the first one, all have a rocket
// launcher; in the second one, they find weapons.
struct DeathMatch { const char *name, *map; };
constexpr DeathMatch kMatches[] = {{"Cig", "map01"}, {"Deathmatch", "map02"}};
constexpr int kMatchSteps = 525;  // 2100 tics: a minute

void Add(Registry& registry, const Task& task, bool is_multi_binary) {
  VizdoomEnv::Config config;
  config.scenario_config_file = task.config_file;
  config.max_buttons_pressed = is_multi_binary ? 0 : 1;
  const std::string name = std::string("Vizdoom") + task.name;
  registry.Add<VizdoomEnv>(name + (is_multi_binary ? "-MultiBinary-v1" : "-v1"),
                           {.twin_of = name + "-v1"}, std::move(config));
}

std::vector<std::string> MapsOf(const WholeGame& game) {
  std::vector<std::string> maps;
  for (int i = 0; i < (game.has_episodes ? 36 : 32); ++i) {
    const std::string number = std::to_string(i + 1);
    maps.push_back(game.has_episodes
                       ? "E" + std::to_string(i / 9 + 1) + "M" + std::to_string(i % 9 + 1)
                       : (i < 9 ? "MAP0" : "MAP") + number);
  }
  return maps;
}

void Add(Registry& registry, const WholeGame& game) {
  for (const std::string& map : MapsOf(game)) {
    for (int skill = 1; skill <= kHardest; ++skill) {
      VizdoomEnv::Config config;
      config.scenario_config_file = game.config_file;
      config.max_buttons_pressed = 0;
      config.doom_map = map;
      config.doom_skill = skill;
      registry.Add<VizdoomEnv>(
          std::string("Vizdoom") + game.name + map + "-S" + std::to_string(skill) + "-v0", {},
          std::move(config));
    }
  }
}

void Add(Registry& registry, const DeathMatch& match) {
  MatchEnv::Config config;
  config.config_file = "cig.cfg";
  config.doom_map = match.map;
  registry.Add<MatchEnv>(std::string("Vizdoom") + match.name + "-v0",
                         {.max_episode_steps = kMatchSteps}, std::move(config));
}

}  // namespace
}  // namespace parallel_pool::vizdoom

PARALLEL_POOL_FAMILY(registry) {
  using namespace parallel_pool::vizdoom;
  for (const Task& task : kTasks) {
    Add(registry, task, false);
    Add(registry, task, true);
  }
  for (const DeathMatch& match : kMatches) Add(registry, match);
  registry.BeginSuite("whole_games");
  for (const WholeGame& game : kWholeGames) Add(registry, game);
  registry.BeginSuite("envpool");
  AddStackedTasks(registry);
}
