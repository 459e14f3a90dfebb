#include "parallel_pool/atari/atari_env.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "parallel_pool/atari/shrink.h"

namespace parallel_pool::atari {
namespace {

constexpr int kMaxSide = 4096;  // of an observation, in pixels

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

const std::vector<int>& ActionSet(const AtariEnv::Config& config) {
  const Rom& rom = FindRom(config.rom);
  return config.full_action_space ? rom.legal_actions : rom.minimal_actions;
}

FrameFormat Format(const AtariEnv::Config& config) {
  return {{config.img_height, config.img_width},
          config.gray_scale,
          config.use_inter_area_resize ? Interpolation::kArea : Interpolation::kLinear};
}

double Sign(double x) {
  return static_cast<double>((x > 0) - (x < 0));
}

}  // namespace

parallel_pool::Options<AtariEnv::Config> AtariEnv::Describe() {
  return {
      Option<&Config::stack_num>("stack_num", "frames in an observation, 1 to 1000",
                                 {.min = 1, .max = 1000}),
      Option<&Config::frame_skip>("frame_skip", "emulated frames for each step, 1 or more",
                                  {.min = 1}),
      Option<&Config::noop_max>("noop_max",
                                "an episode begins with 1 to noop_max frames without an action "
                                "(one less where FIRE follows); 0: none",
                                {.min = 0, .max = 1e6}),
      Option<&Config::zero_discount_on_life_loss>("zero_discount_on_life_loss",
                                                  "a step that loses a life has discount 0"),
      Option<&Config::episodic_life>("episodic_life",
                                     "an episode ends with a life; the game goes on in the next"),
      Option<&Config::reward_clip>("reward_clip", "the reward is its sign: -1, 0 or 1"),
      Option<&Config::use_fire_reset>("use_fire_reset",
                                      "an episode begins with FIRE in games that have it"),
      Option<&Config::img_height>("img_height", "rows of an observation, 1 to 4096",
                                  {.min = 1, .max = kMaxSide}),
      Option<&Config::img_width>("img_width", "columns of an observation, 1 to 4096",
                                 {.min = 1, .max = kMaxSide}),
      Option<&Config::mode>("mode", "game mode, one that the game has; -1: its default",
                            {.min = -1}),
      Option<&Config::difficulty>(
          "difficulty", "difficulty switches, as the game has them; -1: its default", {.min = -1}),
      Option<&Config::full_action_space>("full_action_space",
                                         "all 18 actions, not only those that the game uses"),
      Option<&Config::repeat_action_probability>(
          "repeat_action_probability",
          "probability that a frame repeats the action of the frame before, 0 to 1",
          {.min = 0, .max = 1}),
      Option<&Config::use_inter_area_resize>("use_inter_area_resize",
                                             "resize by area (cv2.INTER_AREA), else linearly"),
      Option<&Config::gray_scale>("gray_scale", "1 channel for each frame, else 3: RGB"),
  };
}

EnvSpec<AtariEnv::Action, AtariEnv::State> AtariEnv::Describe(const Config& config) {
  const Rom& rom = FindRom(config.rom);
  CheckOffered("mode", config.mode, rom.modes, config.rom);
  CheckOffered("difficulty", config.difficulty, rom.difficulties, config.rom);
  const int frames = config.stack_num * Format(config).channels();
  constexpr double kMax = std::numeric_limits<int32_t>::max();
  return {
      .action = {Array<&Action::action>("action",
                                        Discrete(static_cast<int>(ActionSet(config).size())))},
      .state = {
          Array<&State::obs>("obs", Box({frames, config.img_height, config.img_width}, {0}, {255})),
          Array<&State::lives>("info:lives", Box({}, {0}, {kMax})),
          Array<&State::reward>("info:reward", Box({}, {-kInf}, {kInf})),
          Array<&State::terminated>("info:terminated", Box({}, {0}, {1})),
          Array<&State::ram>("info:ram", Box({kRamBytes}, {0}, {255})),
      }};
}

AtariEnv::AtariEnv(const Config& config, Rng& rng)
    : config_(config),
      rng_(rng),
      actions_(ActionSet(config)),
      fires_(config.use_fire_reset && std::ranges::count(actions_, kFire) > 0),
      frame_bytes_(Format(config).bytes()),
      stack_(frame_bytes_ * config.stack_num) {}

// A console that has run keeps traces of that over a Reset: a new one takes its place.
void AtariEnv::Seed(uint64_t seed) {
  seed_ = seed;
  machine_.reset();
}

void AtariEnv::Load() {
  machine_ = std::make_unique<Machine>(
      FindRom(config_.rom),
      MachineOptions{config_.mode, config_.difficulty, config_.repeat_action_probability, seed_});
  frame_maker_ =
      std::make_unique<FrameMaker>(machine_->palette(), machine_->screen_height(), Format(config_));
}

void AtariEnv::Reset() {
  if (!machine_) Load();
  machine_->Reset();
  Begin(/*anew=*/true);
  frame_maker_->Make(machine_->screen(), machine_->screen(), stack_.data());
  for (size_t i = frame_bytes_; i < stack_.size(); i += frame_bytes_) {
    std::memcpy(&stack_[i], stack_.data(), frame_bytes_);
  }
  oldest_ = 0;
  lives_ = machine_->lives();
  reward_ = 0.0;
}

bool AtariEnv::Continue() {
  if (machine_->game_over() || !Begin(/*anew=*/false)) return false;
  Push(machine_->screen(), machine_->screen());
  lives_ = machine_->lives();
  reward_ = 0.0;
  return true;
}

bool AtariEnv::Begin(bool anew) {
  const int fire = fires_ ? 1 : 0;
  const int64_t noops =
      config_.noop_max > 0 ? rng_.Integers(1 - fire, config_.noop_max + 1 - fire) : 0;
  for (int64_t i = 0; i < noops; ++i) {
    machine_->Act(kNoop);
    if (!machine_->game_over()) continue;
    if (!anew) return false;
    machine_->Reset();
  }
  if (fires_) machine_->Act(kFire);
  return !machine_->game_over();
}

Outcome AtariEnv::Step(const Action& action) {
  const int held = actions_[*action.action];
  const uint8_t* older = nullptr;
  int frames = 0;
  reward_ = 0.0;
  for (; frames < config_.frame_skip && !machine_->game_over(); ++frames) {
    older = machine_->HoldScreen();
    reward_ += machine_->Act(held);
  }
  // Of a single frame there is nothing to take the maximum with.
  Push(machine_->screen(), frames > 1 ? older : machine_->screen());

  const int lives_before = lives_;
  lives_ = machine_->lives();
  const bool lost = lives_ < lives_before;
  return {.reward = config_.reward_clip ? Sign(reward_) : reward_,
          .terminated = machine_->game_over() || (config_.episodic_life && lost && lives_ > 0),
          .discount = config_.zero_discount_on_life_loss && lost ? 0.0f : 1.0f};
}

void AtariEnv::Push(const uint8_t* newer, const uint8_t* older) {
  frame_maker_->Make(newer, older, &stack_[oldest_ * frame_bytes_]);
  oldest_ = (oldest_ + 1) % config_.stack_num;
}

void AtariEnv::Observe(const State& state) const {
  const size_t split = oldest_ * frame_bytes_;
  std::memcpy(state.obs.data, &stack_[split], stack_.size() - split);
  std::memcpy(state.obs.data + stack_.size() - split, stack_.data(), split);
  *state.lives = lives_;
  *state.reward = static_cast<float>(reward_);
  *state.terminated = machine_->game_over() ? 1 : 0;
  std::memcpy(state.ram.data, machine_->ram(), kRamBytes);
}

ImageSize AtariEnv::RenderSize(const Config& config) {
  return {ScreenHeight(FindRom(config.rom)), kScreenWidth};
}

void AtariEnv::Render(View<uint8_t> rgb) const {
  if (!machine_) throw std::runtime_error("no game is loaded: reset the env first");
  const Palette palette = machine_->palette();
  const uint8_t* pixel = machine_->screen();
  for (size_t i = 0; i < rgb.size; i += 3, ++pixel) {
    for (int k = 0; k < 3; ++k) rgb[i + k] = palette.rgb[k][*pixel];
  }
}

}  // namespace parallel_pool::atari
