// The options of StackedEnv and what follows from them.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "parallel_pool/envs/vizdoom/engine/message_queue.h"
#include "parallel_pool/envs/vizdoom/engine/shared_state.h"
#include "parallel_pool/envs/vizdoom/envpool/stacked_env.h"
#include "parallel_pool/envs/vizdoom/package.h"

namespace parallel_pool::vizdoom {

namespace fs = std::filesystem;

namespace {

using Config = StackedEnv::Config;

constexpr Range kNumber = {.min = -1e9, .max = 1e9};

// The keys of .cfg files that are options of these tasks, in addition to those that begin with
// "render_".
constexpr const char* kKeys[] = {"doom_skill", "episode_start_time", "episode_timeout",
                                 "screen_resolution", "screen_format"};

bool IsOption(const std::string& key) {
  return key.starts_with("render_") || std::ranges::find(kKeys, key) != std::end(kKeys);
}

// `path` as a file that exists, in full; `option` is its option.
fs::path Existing(const std::string& option, const fs::path& path) {
  if (fs::is_regular_file(path)) return fs::absolute(path);
  throw std::invalid_argument(option + " is '" + path.string() + "': there is no such file");
}

void ReadFiles(Config& config) {
  const fs::path scenarios = config.package / "scenarios";
  if (!config.cfg_path.empty() || !config.config_file.empty()) {
    const fs::path file = config.cfg_path.empty() ? scenarios / config.config_file
                                                  : Existing("cfg_path", config.cfg_path);
    static_cast<Scenario&>(config) = {};
    ReadScenario(file, config);
    config.cfg_path = file.string();
  }
  if (config.available_buttons.text.empty() && config.cfg_path.empty()) {
    throw std::invalid_argument("this task needs cfg_path and wad_path: " + config.missing);
  }
  if (config.available_buttons.text.empty()) {
    throw std::invalid_argument(config.cfg_path + ": a task needs available_buttons");
  }
  FindNames(config);
  if (!config.wad_path.empty()) {
    config.wad = Existing("wad_path", config.wad_path);
  } else if (!config.wad_file.empty()) {
    config.wad = scenarios / config.wad_file;
  } else {
    config.wad = fs::path(config.cfg_path).parent_path() / config.doom_scenario_path;
    if (!fs::is_regular_file(config.wad)) {
      throw std::invalid_argument("this task needs wad_path, too: " + config.missing);
    }
  }
  config.wad_path = config.wad.string();
}

// The engine and its arguments.
void SetEngine(Config& config) {
  if (config.vzd_path.empty()) config.vzd_path = (config.package / "vizdoom").string();
  config.program = Existing("vzd_path", config.vzd_path);
  if (config.iwad_path.empty()) config.iwad_path = (config.package / "freedoom2.wad").string();
  if (!fs::exists(config.iwad_path) && fs::exists(config.iwad_path + ".wad")) {
    config.iwad_path += ".wad";
  }
  config.game_wad = Existing("iwad_path", config.iwad_path);
  config.doom_map = config.map_id;
  config.game_args += " " + config.more_game_args;
  config.screen_resolution = "RES_320X240";
  config.episode_timeout = 0;  // the pool has a limit
  config.depth_buffer_enabled = config.labels_buffer_enabled = config.automap_buffer_enabled =
      false;
  config.audio_buffer_enabled = config.notifications_buffer_enabled = false;
  config.planar_colors = true;
}

// The order decides the order of the sum of a reward: the scenario's, then those of the infos.
std::vector<int> RewardedVariables(const Config& config, std::span<const int> infos) {
  std::vector<int> variables = config.variables;
  for (const int variable : infos) {
    if (std::ranges::find(variables, variable) == variables.end()) variables.push_back(variable);
  }
  return variables;
}

RewardRules MakeRules(const Config& config, std::span<const int> infos) {
  RewardRules rules;
  rules.variables = RewardedVariables(config, infos);
  rules.weapon_duration = config.weapon_duration;
  for (const auto& [name, gain] : config.reward_config.map()) {
    const int variable = Find(VariableNames(), name, "reward_config: there is no game variable");
    rules.gains[variable] = {gain[0], gain[1]};
  }
  for (const auto& [slot, reward] : config.selected_weapon_reward_config.map()) {
    if (slot < 0 || slot >= kNumWeapons) {
      throw std::invalid_argument("selected_weapon_reward_config has the weapon slot " +
                                  std::to_string(slot) + "; did you mean " +
                                  std::to_string(std::clamp(slot, 0, kNumWeapons - 1)) +
                                  "? Slots are 0 to " + std::to_string(kNumWeapons - 1));
    }
    rules.weapons[slot] = reward[0];
  }
  return rules;
}

std::map<int, DeltaNumbers> MakeDeltas(const Config& config) {
  std::map<int, DeltaNumbers> deltas;
  std::vector<std::string> names;  // of the scenario's delta buttons
  for (const int button : config.buttons) {
    if (button >= kNumBinaryButtons) names.push_back(ButtonNames()[button]);
  }
  for (const auto& [name, numbers] : config.delta_button_config.map()) {
    if (names.empty()) {
      throw std::invalid_argument("delta_button_config has '" + name +
                                  "'; the scenario has no delta buttons");
    }
    const int place = Find(names, name, "delta_button_config: the scenario has no delta button");
    const auto [count, first, last] = numbers;
    if (count < 0 || count > 1000 || count != std::trunc(count)) {
      std::ostringstream error;
      error << "delta_button_config['" << name << "'] is (count, first, last), and its count is "
            << count << "; it must be an integer from 0 to 1000";
      throw std::invalid_argument(error.str());
    }
    deltas[Find(ButtonNames(), names[place], "")] = {static_cast<int>(count), first, last};
  }
  return deltas;
}

// A demo's path is part of a command to the engine.
void CheckDemos(Config& config) {
  if (config.lmp_save_dir.empty()) return;
  const fs::path folder = fs::absolute(config.lmp_save_dir);
  const std::string start = "lmp_save_dir is '" + config.lmp_save_dir + "'";
  if ((config.game_args + ' ').find(" -host ") != std::string::npos) {
    throw std::invalid_argument(start + "; a match cannot be recorded (-host is in game_args)");
  }
  if (!fs::is_directory(folder)) throw std::invalid_argument(start + ": there is no such folder");
  if (folder.string().find('"') != std::string::npos) {
    throw std::invalid_argument(start + "; it must not contain quotation marks");
  }
  const std::string command =
      "recordmap \"" + (folder / "env_1000000_1000000.lmp").string() + "\" " + config.map_id;
  if (command.size() > kMaxCommand) {
    throw std::invalid_argument(start + "; it is " + std::to_string(command.size() - kMaxCommand) +
                                " characters longer than the engine takes");
  }
  config.lmp_save_dir = folder.string();
}

}  // namespace

NumbersByKey<std::string, 2> StackedEnv::DefaultRewards() {
  return NumbersByKey<std::string, 2>::Map{
      {"FRAGCOUNT", {1, -1.5}},         {"KILLCOUNT", {1, 0}},
      {"DEATHCOUNT", {-0.75, 0.75}},    {"HITCOUNT", {0.01, -0.01}},
      {"DAMAGECOUNT", {0.003, -0.003}}, {"HEALTH", {0.005, -0.003}},
      {"ARMOR", {0.005, -0.001}},       {"WEAPON0", {0.02, -0.01}},
      {"WEAPON1", {0.02, -0.01}},       {"WEAPON2", {0.02, -0.01}},
      {"WEAPON3", {0.1, -0.05}},        {"WEAPON4", {0.1, -0.05}},
      {"WEAPON5", {0.1, -0.05}},        {"WEAPON6", {0.2, -0.1}},
      {"WEAPON7", {0.2, -0.1}},         {"AMMO0", {0.0002, -0.0001}},
      {"AMMO1", {0.0002, -0.0001}},     {"AMMO2", {0.0002, -0.0001}},
      {"AMMO3", {0.001, -0.0005}},      {"AMMO4", {0.001, -0.0005}},
      {"AMMO5", {0.001, -0.0005}},      {"AMMO6", {0.002, -0.001}},
      {"AMMO7", {0.002, -0.001}}};
}

NumbersByKey<int, 1> StackedEnv::DefaultWeaponRewards() {
  return NumbersByKey<int, 1>::Map{{0, {0.0002}}, {1, {0.0002}}, {2, {0.0002}}, {3, {0.001}},
                                   {4, {0.001}},  {5, {0.001}},  {6, {0.002}},  {7, {0.002}}};
}

Options<Config> StackedEnv::Describe() {
  Options<Config> options = {
      Option<&Config::img_height>("img_height", "of a frame, in pixels", {.min = 1, .max = 4096}),
      Option<&Config::img_width>("img_width", "of a frame, in pixels", {.min = 1, .max = 4096}),
      Option<&Config::stack_num>("stack_num", "frames of an observation", {.min = 1, .max = 1024}),
      Option<&Config::frame_skip>("frame_skip", "tics for which an action is held",
                                  {.min = 1, .max = 1024}),
      Option<&Config::lmp_save_dir>(
          "lmp_save_dir", "folder for demos of the episodes, env_<env>_<episode>.lmp; '': none"),
      Option<&Config::episodic_life>(
          "episodic_life", "terminates when the player dies, also in a game that goes on"),
      Option<&Config::use_combined_action>(
          "use_combined_action", "an action is the number of a set of buttons, not all buttons"),
      Option<&Config::force_speed>("force_speed", "each set of buttons has SPEED"),
      Option<&Config::use_inter_area_resize>("use_inter_area_resize",
                                             "resizes by areas, not by interpolation"),
      Option<&Config::weapon_duration>("weapon_duration",
                                       "steps with one weapon after which it is rewarded"),
      Option<&Config::reward_config>(
          "reward_config", "reward for each unit by which a game variable rises, and falls",
          kNumber),
      Option<&Config::selected_weapon_reward_config>(
          "selected_weapon_reward_config", "reward of a step with the weapon of a slot", kNumber),
      Option<&Config::delta_button_config>(
          "delta_button_config",
          "of use_combined_action: how many numbers a delta button takes, the first, the last",
          kNumber),
      Option<&Config::cfg_path>("cfg_path", "file with the scenario's options"),
      Option<&Config::wad_path>("wad_path", "file with the scenario's maps"),
      Option<&Config::vzd_path>("vzd_path", "the engine's program"),
      Option<&Config::iwad_path>("iwad_path", "the game's file; by default freedoom2.wad"),
      Option<&Config::more_game_args>("game_args", "more arguments of the engine's command line"),
      Option<&Config::map_id>("map_id", "a map of the scenario"),
      Option<&Config::engine_path>("engine_path", "folder of the package vizdoom; '': Python's"),
  };
  for (const auto& option : Scenario::Describe()) {
    if (IsOption(option.name)) options.push_back(option);
  }
  return options;
}

void StackedEnv::Complete(Config& config) {
  config.package = FindPackage(config.engine_path);
  ReadFiles(config);
  SetEngine(config);
  CheckMap(config);
  CheckDemos(config);
  std::vector<int> infos = InfoVariables();
  config.rules = MakeRules(config, infos);
  const auto deltas = MakeDeltas(config);
  if (config.use_combined_action) {
    config.button_sets = std::make_shared<const std::vector<ButtonSet>>(
        MakeButtonSets(config.buttons, config.force_speed, deltas));
  }
}

}  // namespace parallel_pool::vizdoom
