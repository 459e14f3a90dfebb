// A scenario: what a .cfg file of ViZDoom says about a task. Its keys are the options of a task, so
// users can replace each of them in make().
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/vizdoom/scenario/words.h"

namespace parallel_pool::vizdoom {

// The defaults are the engine's.
struct Scenario {
  std::string doom_map = "map01";
  int doom_skill = 3;
  int episode_start_time = 1, episode_timeout = 0;  // tics
  double living_reward = 0.0, death_penalty = 0.0, map_exit_reward = 0.0;
  // For each point by which a game variable has grown: see Gains().
  double kill_reward = 0.0, secret_reward = 0.0, item_reward = 0.0, frag_reward = 0.0;
  double hit_reward = 0.0, hit_taken_penalty = 0.0;
  double damage_made_reward = 0.0, damage_taken_penalty = 0.0;
  double health_reward = 0.0, armor_reward = 0.0;

  std::string screen_resolution = "RES_320X240", screen_format = "RGB24";
  bool depth_buffer_enabled = false, labels_buffer_enabled = false, automap_buffer_enabled = false;
  std::string automap_mode = "NORMAL";
  bool automap_rotate = false, automap_render_textures = true;
  bool automap_render_objects_as_sprites = false;
  bool audio_buffer_enabled = false, notifications_buffer_enabled = false;
  std::string audio_sampling_rate = "SR_44100";
  int audio_buffer_size = 0, notifications_buffer_size = 0;  // tics; 0: those of a step

  bool render_hud = false, render_minimal_hud = false, render_weapon = true;
  bool render_crosshair = false, render_decals = true, render_particles = true;
  bool render_effects_sprites = true, render_messages = false, render_corpses = true;
  bool render_screen_flashes = true;

  std::string doom_scenario_path, doom_game_path;  // WAD files
  Lines available_buttons, available_game_variables;
  std::string game_args;  // of the engine's command line, with blanks between them

  // These follow from the options.
  std::filesystem::path wad, game_wad;  // of the two paths; `wad` may be empty
  std::vector<int> buttons, variables;  // places in ButtonNames() and VariableNames()
  std::filesystem::path program;        // the engine; empty: the package's
  bool planar_colors = false;           // the engine's pictures are red, then green, then blue

  static Options<Scenario> Describe();
};

// A reward for the growth of a game variable.
struct Gain {
  int variable;
  double reward;  // of each point
};

// The gains of a scenario, in the order in which vizdoom adds them up.
std::array<Gain, 10> Gains(const Scenario& scenario);

// The size of a picture of `screen_resolution`.
ImageSize SizeOf(const Scenario& scenario);

// Channels of the screen: 3, or 1 if it is gray.
int NumChannels(const Scenario& scenario);

// Audio samples of each channel per s.
int SamplingRate(const Scenario& scenario);

// Reads the options of `scenario` from a .cfg file; values that the file does not name stay. Throws
// std::invalid_argument that names the file, the line, and the allowed words.
void ReadScenario(const std::filesystem::path& file, Scenario& scenario);

}  // namespace parallel_pool::vizdoom
