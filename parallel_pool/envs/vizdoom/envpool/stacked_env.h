// EnvPool's tasks of ViZDoom: stacked small pictures, rewards for changes of game variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/vizdoom/envpool/button_sets.h"
#include "parallel_pool/envs/vizdoom/envpool/variable_rewards.h"
#include "parallel_pool/envs/vizdoom/game.h"
#include "parallel_pool/envs/vizdoom/scenario/scenario.h"
#include "parallel_pool/envs/vizdoom/screen_stack.h"

namespace parallel_pool::vizdoom {

class StackedEnv {
 public:
  struct Config : Scenario {
    // Names in the package's folder scenarios, if the user gives no paths. Without config_file, the
    // task's own members are the scenario; without available_buttons, the user must give cfg_path.
    std::string config_file, wad_file;
    std::string missing;  // the files that the user must give, and where they are from

    std::string engine_path;
    int img_height = 84, img_width = 84;  // pixels
    int stack_num = 4, frame_skip = 4;    // frames; tics
    std::string lmp_save_dir;
    bool episodic_life = false, use_combined_action = false, force_speed = false;
    bool use_inter_area_resize = true;
    int weapon_duration = 5;  // steps
    NumbersByKey<std::string, 2> reward_config = DefaultRewards();
    NumbersByKey<int, 1> selected_weapon_reward_config = DefaultWeaponRewards();
    NumbersByKey<std::string, 3> delta_button_config;
    std::string cfg_path, wad_path, vzd_path, iwad_path, map_id = "map01";
    std::string more_game_args;  // after those of the scenario

    // These follow from the options.
    std::filesystem::path package;
    RewardRules rules;
    std::shared_ptr<const std::vector<ButtonSet>> button_sets;  // with use_combined_action
  };
  struct Action {
    View<const int32_t> choice;  // with use_combined_action: a place in Config::button_sets
    View<const double> numbers;  // without: a number for each button
  };
  struct State {
    View<uint8_t> obs;  // frames, oldest first; of each its channels, rows, columns
    View<double> ammo2, ammo3, ammo4, ammo5, ammo6, ammo7, armor, damage_count, death_count,
        frag_count, health, hit_count, kill_count, selected_weapon, selected_weapon_ammo, user2;
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static ImageSize RenderSize(const Config& config) { return SizeOf(config); }
  static int RenderFps(const Config& config) {
    return std::max(1, kTicsPerSecond / config.frame_skip);
  }

  StackedEnv(const Config& config, Rng& rng, int env);

  // The engines of a chunk start and work at the same time.
  static void ResetChunk(Chunk<StackedEnv>& chunk);
  static void StepChunk(Chunk<StackedEnv>& chunk);
  static int ChunkSize(const Config&) { return 4; }
  // After the loss of a life in a game that goes on.
  bool Continue();
  void Observe(const State& state) const;
  // The screen, in the size of the engine's pictures.
  void Render(View<uint8_t> rgb) const { game_.Draw(rgb); }

  Game& game() { return game_; }

 private:
  static NumbersByKey<std::string, 2> DefaultRewards();
  static NumbersByKey<int, 1> DefaultWeaponRewards();
  static std::vector<int> InfoVariables();

  void Press(const Action& action);
  Outcome Result();
  void BeginEpisode();
  std::filesystem::path NextDemo();

  const Config config_;
  Rng& rng_;
  const int env_;
  int num_demos_ = 0;
  Game game_;
  VariableRewards rewards_;
  ScreenStack screens_;
};

}  // namespace parallel_pool::vizdoom
