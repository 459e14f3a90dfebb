// The options of Atari tasks, and values that depend on them only.
#pragma once

#include <string>
#include <vector>

#include "parallel_pool/core/options.h"
#include "parallel_pool/envs/atari/rom.h"
#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

// The library whose behavior an env has in details that no option names. reference.py and the
// README list the differences.
enum class Preset { kEnvPool, kGymnasium, kAleVector };

struct AtariConfig {
  std::string rom;  // the name of the game's ROM file; set by the task, not an option
  std::string preset = "envpool";
  int stack_num = 4;
  IntRange frame_skip = {4, 5};
  int noop_max = 30;
  bool zero_discount_on_life_loss = false;
  bool episodic_life = false;
  bool life_loss_info = false;
  bool reward_clip = false;
  bool use_fire_reset = true;
  std::string obs_type = "gray";
  bool gray_scale = true;
  int img_height = 84;
  int img_width = 84;
  bool use_inter_area_resize = true;
  bool sound_obs = false;
  int mode = -1;
  int difficulty = -1;
  bool full_action_space = false;
  bool continuous = false;
  double continuous_action_threshold = 0.5;
  double repeat_action_probability = 0.0;
  int max_episode_steps = 27000;  // kept by the engine; the last step's frames may depend on it
};

Options<AtariConfig> AtariOptions();

// Sets the options that follow from `preset`, `obs_type` and `gray_scale`.
void CompleteOptions(AtariConfig& config);

// Throws std::invalid_argument with the option and the allowed values if the game does not have the
// mode or the difficulty, options contradict each other, or an observation would be too large.
void CheckOptions(const AtariConfig& config);

Preset PresetOf(const AtariConfig& config);

// ALE's numbers of the actions that the game has with these options.
const std::vector<int>& ActionsOf(const AtariConfig& config);

// The format of one frame. Only meaningful if observations have frames (see ShowsRam).
FrameFormat FormatOf(const AtariConfig& config);
bool ShowsRam(const AtariConfig& config);

// The bytes that one step adds to an observation: those of a frame, or of the RAM.
size_t FrameBytes(const AtariConfig& config);

}  // namespace parallel_pool::atari
