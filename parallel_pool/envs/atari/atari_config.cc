#include "parallel_pool/envs/atari/atari_config.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "parallel_pool/envs/atari/machine.h"

namespace parallel_pool::atari {
namespace {

using Config = AtariConfig;

constexpr int kMaxSide = 4096;                       // pixels per side of an observation
constexpr size_t kMaxObservation = size_t{1} << 28;  // bytes

// In the order of enum Preset.
constexpr const char* kPresets[] = {"envpool", "gymnasium", "ale_vector"};
constexpr const char* kObsTypes[] = {"gray", "rgb", "ram"};

std::string Join(const std::vector<int>& numbers) {
  std::string text;
  for (int n : numbers) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return text;
}

void CheckOffered(const char* option, int value, const std::vector<int>& offered,
                  const std::string& game) {
  if (value == -1 || std::ranges::count(offered, value) > 0) return;
  throw std::invalid_argument(std::string(option) + "=" + std::to_string(value) + ": " + game +
                              " has " + Join(offered) + " (and -1, its default)");
}

}  // namespace

Options<AtariConfig> AtariOptions() {
  return {
      Option<&Config::preset>("preset", "library whose defaults and episode rules apply",
                              OneOf(kPresets)),
      Option<&Config::stack_num>("stack_num", "frames in an observation, 1 to 1000",
                                 {.min = 1, .max = 1000}),
      Option<&Config::frame_skip>("frame_skip",
                                  "emulated frames for each step, 1 or more; (low, end): at "
                                  "random, low to end - 1",
                                  {.min = 1}),
      Option<&Config::noop_max>("noop_max",
                                "an episode begins with 1 to noop_max frames without an action "
                                "(one less where there is FIRE); 0: none",
                                {.min = 0, .max = 1e6}),
      Option<&Config::zero_discount_on_life_loss>("zero_discount_on_life_loss",
                                                  "a step that loses a life has discount 0"),
      Option<&Config::episodic_life>("episodic_life", "an episode ends when a life is lost"),
      Option<&Config::life_loss_info>("life_loss_info",
                                      "terminated is set when a life is lost; the episode goes on"),
      Option<&Config::reward_clip>("reward_clip", "the reward is its sign: -1, 0 or 1"),
      Option<&Config::use_fire_reset>("use_fire_reset",
                                      "an episode begins with FIRE in games that have it"),
      Option<&Config::obs_type>("obs_type", "frames in gray or color, or the console's RAM",
                                OneOf(kObsTypes)),
      Option<&Config::gray_scale>("gray_scale", "False is obs_type=\"rgb\""),
      Option<&Config::img_height>("img_height", "rows of an observation, 1 to 4096",
                                  {.min = 1, .max = kMaxSide}),
      Option<&Config::img_width>("img_width", "columns of an observation, 1 to 4096",
                                 {.min = 1, .max = kMaxSide}),
      Option<&Config::use_inter_area_resize>("use_inter_area_resize",
                                             "resize by area (cv2.INTER_AREA), else linearly"),
      Option<&Config::sound_obs>("sound_obs", "info has the sound of the last frame"),
      Option<&Config::mode>("mode", "game mode, one that the game has; -1: its default",
                            {.min = -1}),
      Option<&Config::difficulty>(
          "difficulty", "difficulty switches, as the game has them; -1: its default", {.min = -1}),
      Option<&Config::full_action_space>("full_action_space",
                                         "all 18 actions, not only those that the game uses"),
      Option<&Config::continuous>("continuous",
                                  "an action is (radius, angle in rad, fire), three floats"),
      Option<&Config::continuous_action_threshold>(
          "continuous_action_threshold",
          "how far the stick (and fire) must be from its center, 0 to 1", {.min = 0, .max = 1}),
      Option<&Config::repeat_action_probability>(
          "repeat_action_probability",
          "probability that a frame repeats the action of the frame before, 0 to 1",
          {.min = 0, .max = 1}),
      Option<&Config::max_episode_steps>("max_episode_steps", "time limit in steps", {.min = 1}),
  };
}

void CompleteOptions(AtariConfig& config) {
  if (config.preset == kPresets[static_cast<int>(Preset::kGymnasium)]) {
    config.use_fire_reset = false;
    config.repeat_action_probability = 0.25;
  } else if (config.preset == kPresets[static_cast<int>(Preset::kAleVector)]) {
    config.reward_clip = true;
  }
  // Two options name the same thing; the one that is not at its default wins.
  if (config.obs_type != "gray") {
    config.gray_scale = config.obs_type != "rgb";
  } else if (!config.gray_scale) {
    config.obs_type = "rgb";
  }
}

void CheckOptions(const AtariConfig& config) {
  const Rom& rom = FindRom(config.rom);
  CheckOffered("mode", config.mode, rom.modes, config.rom);
  CheckOffered("difficulty", config.difficulty, rom.difficulties, config.rom);
  if (config.gray_scale != (config.obs_type != "rgb")) {
    throw std::invalid_argument("obs_type='" + config.obs_type +
                                "' and gray_scale=" + (config.gray_scale ? "True" : "False") +
                                " contradict each other: give one of them");
  }
  const size_t bytes = FrameBytes(config) * config.stack_num;
  if (bytes > kMaxObservation) {
    throw std::invalid_argument("stack_num=" + std::to_string(config.stack_num) +
                                ", img_height=" + std::to_string(config.img_height) +
                                ", img_width=" + std::to_string(config.img_width) +
                                " make observations of " + std::to_string(bytes) +
                                " bytes; allowed are " + std::to_string(kMaxObservation));
  }
}

Preset PresetOf(const AtariConfig& config) {
  return static_cast<Preset>(std::ranges::find(kPresets, config.preset) - std::begin(kPresets));
}

const std::vector<int>& ActionsOf(const AtariConfig& config) {
  const Rom& rom = FindRom(config.rom);
  return config.full_action_space || config.continuous ? rom.legal_actions : rom.minimal_actions;
}

FrameFormat FormatOf(const AtariConfig& config) {
  return {{config.img_height, config.img_width},
          config.gray_scale,
          config.use_inter_area_resize ? drawing::Interpolation::kArea
                                       : drawing::Interpolation::kLinear};
}

bool ShowsRam(const AtariConfig& config) {
  return config.obs_type == "ram";
}

size_t FrameBytes(const AtariConfig& config) {
  return ShowsRam(config) ? kRamBytes : FormatOf(config).bytes();
}

}  // namespace parallel_pool::atari
