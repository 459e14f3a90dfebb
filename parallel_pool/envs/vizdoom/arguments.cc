#include "parallel_pool/envs/vizdoom/arguments.h"

#include <algorithm>
#include <sstream>

namespace parallel_pool::vizdoom {
namespace {

// The numbers of the engine's formats of pixels.
constexpr int kPlanes = 0, kRgb24 = 1, kGray8 = 8;

int AspectOf(ImageSize size) {
  const int w = size.width, h = size.height;
  if (9 * w == 16 * h) return 1;
  if (10 * w == 16 * h) return 2;
  if (3 * w == 4 * h) return 3;
  if (4 * w == 5 * h) return 4;
  return 0;
}

// The bits of the engine's variable viz_render_mode, from the lowest.
int RenderMode(const Scenario& s) {
  const bool bits[] = {s.render_hud,
                       s.render_minimal_hud,
                       s.render_weapon,
                       s.render_crosshair,
                       s.render_decals,
                       s.render_particles,
                       s.render_effects_sprites,
                       s.render_messages,
                       s.automap_rotate,
                       s.automap_render_textures,
                       s.automap_render_objects_as_sprites,
                       s.render_corpses,
                       s.render_screen_flashes};
  int mode = 0, bit = 1;
  for (const bool is_set : bits) {
    if (is_set) mode |= bit;
    bit *= 2;
  }
  return mode;
}

int AutomapMode(const std::string& word) {
  constexpr const char* kWords[] = {"NORMAL", "WHOLE", "OBJECTS", "OBJECTS_WITH_SIZE"};
  return static_cast<int>(std::ranges::find(kWords, word) - kWords);
}

}  // namespace

std::vector<std::string> Arguments(const Scenario& scenario, uint32_t engine_seed) {
  const ImageSize size = SizeOf(scenario);
  std::vector<std::string> all = {"-iwad", scenario.game_wad};
  const auto add = [&all](const char* name, const std::string& value) {
    all.push_back(name);
    all.push_back(value);
  };
  if (!scenario.wad.empty()) add("-file", scenario.wad);
  add("+map", scenario.doom_map);
  add("-skill", std::to_string(scenario.doom_skill));
  add("-width", std::to_string(size.width));
  add("-height", std::to_string(size.height));
  add("+vid_aspect", std::to_string(AspectOf(size)));
  add("+fullscreen", "0");
  add("+use_mouse", "0");
  add("-rngseed", std::to_string(engine_seed));
  if (scenario.depth_buffer_enabled) add("+viz_depth", "1");
  if (scenario.labels_buffer_enabled) add("+viz_labels", "1");
  if (scenario.automap_buffer_enabled) {
    add("+viz_automap", "1");
    add("+viz_automap_mode", std::to_string(AutomapMode(scenario.automap_mode)));
  }
  add("+viz_render_mode", std::to_string(RenderMode(scenario)));
  add("+viz_noconsole", "1");
  const int colors = scenario.planar_colors ? kPlanes : kRgb24;
  add("+viz_screen_format", std::to_string(NumChannels(scenario) == 1 ? kGray8 : colors));
  add("+viz_window_hidden", "1");
  add("+viz_noxserver", "1");
  for (const char* word : {"-noidle", "-nojoy"}) all.push_back(word);
  if (scenario.audio_buffer_enabled) {
    add("+viz_soft_audio", "1");
    add("+snd_backend", "openal");
    add("+viz_samp_freq", std::to_string(SamplingRate(scenario)));
    add("+viz_audio_tics", std::to_string(scenario.audio_buffer_size));
  } else {
    all.push_back("-nosound");
    add("+viz_nosound", "1");
  }
  if (scenario.notifications_buffer_enabled) {
    add("+viz_notifications", "1");
    add("+viz_notifications_tics", std::to_string(scenario.notifications_buffer_size));
  }
  std::istringstream more(scenario.game_args);
  for (std::string word; more >> word;) all.push_back(word);
  return all;
}

}  // namespace parallel_pool::vizdoom
