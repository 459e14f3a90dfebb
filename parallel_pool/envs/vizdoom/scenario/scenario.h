// A scenario: what a .cfg file of ViZDoom says about a task. Its keys are the options of a task, so
// users can replace each of them in make().
#pragma once

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

  std::string screen_resolution = "RES_320X240", screen_format = "RGB24";
  bool depth_buffer_enabled = false, labels_buffer_enabled = false, automap_buffer_enabled = false;
  std::string automap_mode = "NORMAL";
  bool automap_rotate = false, automap_render_textures = true;
  bool automap_render_objects_as_sprites = false;

  bool render_hud = false, render_minimal_hud = false, render_weapon = true;
  bool render_crosshair = false, render_decals = true, render_particles = true;
  bool render_effects_sprites = true, render_messages = false, render_corpses = true;
  bool render_screen_flashes = true;

  // Not options: they make up the shapes of a task.
  std::filesystem::path wad;                // of the scenario; empty: none
  std::filesystem::path game_wad;           // empty: the package's freedoom2.wad
  std::filesystem::path program;            // the engine; empty: the package's
  std::vector<int> buttons, variables;      // places in ButtonNames() and VariableNames()
  std::vector<std::string> game_arguments;  // of the engine's command line
  bool audio_buffer_enabled = false, notifications_buffer_enabled = false;
  bool planar_colors = false;  // the engine's pictures are red, then green, then blue

  static Options<Scenario> Describe();
};

// The size of a picture of `screen_resolution`.
ImageSize SizeOf(const Scenario& scenario);

// Of the screen: 3, or 1 if it is gray.
int NumChannels(const Scenario& scenario);

// Reads a .cfg file into `scenario`; values that the file does not name stay. Paths in the file
// are relative to its folder. Throws std::invalid_argument that names the file, the line, and the
// allowed words.
void ReadScenario(const std::filesystem::path& file, Scenario& scenario);

}  // namespace parallel_pool::vizdoom
