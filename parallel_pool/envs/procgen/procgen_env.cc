#include "parallel_pool/envs/procgen/procgen_env.h"

#include <limits>
#include <stdexcept>
#include <vector>

#include "parallel_pool/envs/procgen/modes.h"
#include "parallel_pool/envs/procgen/patched/colors.h"

namespace parallel_pool::procgen {

namespace {

constexpr int kMaxLevel = std::numeric_limits<int32_t>::max();

// The keys of each action, as Procgen names them: arrows, then single letters.
const std::vector<std::string> kActions = {"DOWNLEFT", "LEFT",      "UPLEFT", "DOWN",    "NOOP",
                                           "UP",       "DOWNRIGHT", "RIGHT",  "UPRIGHT", "D",
                                           "A",        "W",         "S",      "Q",       "E"};

const GameInfo& InfoOf(const char* name) {
  for (const GameInfo& game : AllGames()) {
    if (std::string(game.name) == name) return game;
  }
  throw std::logic_error(std::string("no game ") + name);
}

// The library's options of a config. Throws std::invalid_argument if they do not go together.
GameOptions OptionsOf(const ProcgenEnv::Config& c) {
  const GameInfo& game = InfoOf(c.env_name);
  const Mode& mode = FindMode(game, c.mode);
  GameOptions options = c;
  options.distribution_mode = mode.number;
  if (mode.number == kExploration) {
    if (c.num_levels != 0 || c.start_level != 0) {
      throw std::invalid_argument("num_levels is " + std::to_string(c.num_levels) +
                                  " and start_level is " + std::to_string(c.start_level) +
                                  "; with distribution_mode 'exploration' they must be 0: it has "
                                  "one level");
    }
    options.distribution_mode = 1;
    options.num_levels = 1;
    options.start_level = game.exploration_level;
  } else if (c.num_levels > kMaxLevel - c.start_level) {
    throw std::invalid_argument("start_level is " + std::to_string(c.start_level) +
                                " and num_levels is " + std::to_string(c.num_levels) +
                                "; their sum must be at most " + std::to_string(kMaxLevel));
  }
  return options;
}

}  // namespace

bool ProcgenEnv::IsDeterministic(const Config& config) {
  return FindMode(InfoOf(config.env_name), config.mode).number == kExploration;
}

Options<ProcgenEnv::Config> ProcgenEnv::Describe() {
  return {
      Option<&Config::mode>(
          "distribution_mode",
          "how hard levels are: 'easy' (0), 'hard' (1), and where the game has it 'extreme' (2), "
          "'memory' (10), 'exploration' (20)"),
      Option<&Config::num_levels>("num_levels", "number of levels; 0: all 2147483647", {.min = 0}),
      Option<&Config::start_level>("start_level", "the first of num_levels levels", {.min = 0}),
      Option<&Config::use_sequential_levels>(
          "use_sequential_levels", "a completed level is followed by another, in one episode"),
      Option<&Config::center_agent>("center_agent", "show the part of the level around the agent"),
      Option<&Config::use_backgrounds>("use_backgrounds", "draw pictures behind levels, not black"),
      Option<&Config::use_monochrome_assets>("use_monochrome_assets", "draw objects as rectangles"),
      Option<&Config::restrict_themes>("restrict_themes", "one look for each kind of object"),
      Option<&Config::use_generated_assets>("use_generated_assets", "draw patterns, not images"),
      Option<&Config::paint_vel_info>("paint_vel_info",
                                      "show the agent's velocity as gray squares, top left"),
      Option<&Config::use_easy_jump>("use_easy_jump", "an option of the library"),
      Option<&Config::debug_mode>("debug_mode", "an option of the library", {.min = 0}),
      Option<&Config::channel_first>("channel_first",
                                     "observations are (3, 64, 64), not (64, 64, 3)"),
  };
}

EnvSpec<ProcgenEnv::Action, ProcgenEnv::State> ProcgenEnv::Describe(const Config& config) {
  OptionsOf(config);
  const std::vector<int32_t> shape = config.channel_first
                                         ? std::vector<int32_t>{3, kScreenSize, kScreenSize}
                                         : std::vector<int32_t>{kScreenSize, kScreenSize, 3};
  const Space seed = Box({}, {0}, {kMaxLevel});
  return {
      .action = {Array<&Action::combo>("action", Discrete(kActions))},
      .state = {Array<&State::obs>("obs", Box(shape, {0}, {255})),
                Array<&State::level_seed>("info:level_seed", seed),
                Array<&State::prev_level_seed>("info:prev_level_seed", seed),
                Array<&State::prev_level_complete>("info:prev_level_complete", Box({}, {0}, {1}))}};
}

ProcgenEnv::ProcgenEnv(const Config& config, Rng&)
    : channel_first_(config.channel_first),
      can_save_(!config.use_generated_assets),
      game_(OptionsOf(config)) {}

void ProcgenEnv::Observe(const State& state) const {
  const uint32_t* const pixels = game_.Draw();
  if (channel_first_) {
    WritePlanes(pixels, kScreenSize * kScreenSize, state.obs.data);
  } else {
    WriteColors(pixels, kScreenSize * kScreenSize, state.obs.data);
  }
  *state.level_seed = game_.level_seed();
  *state.prev_level_seed = game_.prev_level_seed();
  *state.prev_level_complete = game_.prev_level_complete();
}

void ProcgenEnv::Render(View<uint8_t> rgb) const {
  std::vector<uint32_t> pixels(kPictureSize * kPictureSize);
  game_.DrawPicture(pixels.data());
  WriteColors(pixels.data(), kPictureSize * kPictureSize, rgb.data);
}

void ProcgenEnv::Save(Writer& writer) const {
  if (!can_save_) {
    throw std::runtime_error(
        "use_generated_assets is true: Procgen's library cannot save the images that it has made");
  }
  game_.Save(writer);
}

}  // namespace parallel_pool::procgen
