#include "parallel_pool/envs/atari/atari_env.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {
namespace {

double Sign(double x) {
  return static_cast<double>((x > 0) - (x < 0));
}

Space ObservationSpace(const AtariConfig& config) {
  if (ShowsRam(config)) return Box({config.stack_num, kRamBytes}, {0}, {255});
  const int frames = config.stack_num * FormatOf(config).channels();
  return Box({frames, config.img_height, config.img_width}, {0}, {255});
}

Space ActionSpace(const AtariConfig& config) {
  std::vector<std::string> names;
  for (const int action : ActionsOf(config)) names.emplace_back(kActionNames[action]);
  return Discrete(names);
}

// The console's seed of ale_py's vector env: an int32 that is not negative.
int32_t LowBits(uint64_t seed) {
  return static_cast<int32_t>(seed & 0x7fffffff);
}

// A random number below n, equal to libstdc++'s (Lemire's method).
uint32_t Below(uint32_t n, std::mt19937& rng) {
  uint64_t product = uint64_t{rng()} * n;
  while (static_cast<uint32_t>(product) < -n % n) product = uint64_t{rng()} * n;
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace

EnvSpec<AtariEnv::Action, AtariEnv::State> AtariEnv::Describe(const Config& config) {
  CheckOptions(config);
  constexpr double kMax = std::numeric_limits<int32_t>::max(), kPi = std::numbers::pi;
  EnvSpec<Action, State> spec{.action = {Array<&Action::index>("action", ActionSpace(config))},
                              .state = {
                                  Array<&State::obs>("obs", ObservationSpace(config)),
                                  Array<&State::lives>("info:lives", Box({}, {0}, {kMax})),
                                  Array<&State::reward>("info:reward", Box({}, {-kInf}, {kInf})),
                                  Array<&State::terminated>("info:terminated", Box({}, {0}, {1})),
                                  Array<&State::ram>("info:ram", Box({kRamBytes}, {0}, {255})),
                              }};
  if (config.continuous) {
    spec.action = {Array<&Action::stick>("action", Box({3}, {0, -kPi, 0}, {1, kPi, 1}))};
  }
  if (config.sound_obs) {
    spec.state.push_back(Array<&State::sound>("info:sound", Box({kSoundBytes}, {0}, {255})));
  }
  return spec;
}

AtariEnv::AtariEnv(const Config& config, Rng& rng)
    : config_(config),
      preset_(PresetOf(config)),
      rng_(rng),
      actions_(ActionsOf(config)),
      fires_(config.use_fire_reset && std::ranges::count(actions_, kFire) > 0),
      noop_rng_(preset_ == Preset::kAleVector ? 1 : 0),
      console_(config_),
      stack_(config.stack_num, FrameBytes(config)) {}

void AtariEnv::Seed(uint64_t seed) {
  seed_ = seed;
  console_.TurnOff();
}

void AtariEnv::TurnOn() {
  int32_t console_seed = LowBits(seed_);
  if (preset_ == Preset::kGymnasium) {
    // ale_py's env draws one seed for NumPy's generator and one for ALE.
    const uint64_t drawn = SeedSequence(seed_).Generate()[0];
    rng_ = Rng(drawn & 0xffffffff);
    console_seed = static_cast<int32_t>(drawn >> 32);
  }
  for (std::mt19937& rng : noop_rng_) rng.seed(static_cast<uint32_t>(console_seed));
  console_.TurnOn(console_seed);
}

void AtariEnv::Reset() {
  if (!console_.on()) TurnOn();
  console_->Reset();
  if (preset_ == Preset::kAleVector) {
    BeginWithFire();
    stack_.Clear();
  } else {
    Begin(/*may_reset=*/true);
  }
  Push(console_->screen(), console_->screen());
  if (preset_ != Preset::kAleVector) stack_.Repeat();
  steps_ = 0;
  lives_ = console_->lives();
  reward_ = 0.0;
  over_ = console_->game_over();
}

bool AtariEnv::Continue() {
  if (preset_ != Preset::kEnvPool) return false;
  if (console_->game_over() || !Begin(/*may_reset=*/false)) return false;
  Push(console_->screen(), console_->screen());
  lives_ = console_->lives();
  reward_ = 0.0;
  return true;
}

bool AtariEnv::Begin(bool may_reset) {
  const int fire = fires_ ? 1 : 0;
  const int64_t noops =
      config_.noop_max > 0 ? rng_.Integers(1 - fire, config_.noop_max + 1 - fire) : 0;
  for (int64_t i = 0; i < noops; ++i) {
    console_->Act(kNoop);
    if (!console_->game_over()) continue;
    if (!may_reset) return false;
    console_->Reset();
  }
  if (fires_) console_->Act(kFire);
  return !console_->game_over();
}

void AtariEnv::BeginWithFire() {
  if (fires_) console_->Act(kFire);
  int64_t noops = Below(std::max(config_.noop_max, 1), noop_rng_[0]);
  if (fires_) --noops;
  for (int64_t i = 0; i < noops; ++i) {
    console_->Act(kNoop);
    if (console_->game_over()) console_->Reset();
  }
}

Stick AtariEnv::Decode(const Action& action) const {
  if (!config_.continuous) return {actions_[*action.index]};
  return TiltedStick(action.stick[0], action.stick[1], action.stick[2],
                     static_cast<float>(config_.continuous_action_threshold));
}

AtariEnv::Frames AtariEnv::Play(const Stick& stick, int skip) {
  const bool cut = preset_ == Preset::kAleVector && steps_ >= config_.max_episode_steps;
  Frames frames;
  frames.ended = preset_ == Preset::kEnvPool && console_->game_over();
  int lives = lives_;
  while (frames.count < skip && !frames.ended) {
    frames.older = console_->HoldScreen();
    reward_ += console_->Act(stick.action, stick.strength);
    ++frames.count;
    const int left = console_->lives();
    frames.lost = left < lives && (left > 0 || preset_ == Preset::kGymnasium);
    frames.ended = console_->game_over() || (cut && frames.count == skip);
    if (preset_ == Preset::kEnvPool || !config_.episodic_life) continue;
    frames.ended |= frames.lost;
    if (preset_ == Preset::kGymnasium) lives = left;
  }
  return frames;
}

Outcome AtariEnv::Step(const Action& action) {
  const auto skip = static_cast<int>(rng_.Integers(config_.frame_skip.low, config_.frame_skip.end));
  reward_ = 0.0;
  ++steps_;
  const Frames frames = Play(Decode(action), skip);
  const uint8_t* const newer = console_->screen();
  if (frames.ended && preset_ != Preset::kEnvPool) {
    PushEnd(frames, skip);
  } else {
    // A single frame has no second screen for the maximum.
    Push(newer, frames.count > 1 ? frames.older : newer);
  }

  const bool any_lost = console_->lives() < lives_;
  lives_ = console_->lives();
  const bool life_over = frames.lost && (config_.episodic_life || config_.life_loss_info);
  // After a lost life, the envs of the other presets begin another game: see Continue().
  over_ = console_->game_over() ||
          (frames.lost && config_.episodic_life && preset_ != Preset::kEnvPool);
  return {.reward = config_.reward_clip ? Sign(reward_) : reward_,
          .terminated = console_->game_over() || life_over,
          .discount = config_.zero_discount_on_life_loss && any_lost ? 0.0f : 1.0f,
          .episode_continues = life_over && !config_.episodic_life && !console_->game_over()};
}

void AtariEnv::Push(const uint8_t* newer, const uint8_t* older) {
  if (ShowsRam(config_)) {
    std::memcpy(stack_.Next(), console_->ram(), kRamBytes);
    return;
  }
  console_.frame_maker().Make(newer, older, stack_.Next());
  if (preset_ != Preset::kEnvPool) Keep(newer, older);
}

// ale_py and Gymnasium do not read the screen that ends an episode. Their last observation is the
// frame of the step before; if the second last screen of this step was read, its maximum with that.
void AtariEnv::PushEnd(const Frames& frames, int skip) {
  if (ShowsRam(config_)) return Push(nullptr, nullptr);
  const bool due = skip > 1 && frames.count == skip;
  console_.frame_maker().Make(kept_.newer.data(), kept_.older.data(),
                              due ? frames.older : kept_.older.data(), stack_.Next());
}

void AtariEnv::Keep(const uint8_t* newer, const uint8_t* older) {
  const size_t bytes = static_cast<size_t>(console_->screen_height()) * kScreenWidth;
  kept_.newer.assign(newer, newer + bytes);
  kept_.older.assign(older, older + bytes);
}

void AtariEnv::Observe(const State& state) const {
  stack_.CopyTo(state.obs.data);
  *state.lives = lives_;
  *state.reward = static_cast<float>(reward_);
  *state.terminated = over_ ? 1 : 0;
  std::memcpy(state.ram.data, console_->ram(), kRamBytes);
  if (config_.sound_obs) std::memcpy(state.sound.data, console_->sound(), kSoundBytes);
}

ImageSize AtariEnv::RenderSize(const Config& config) {
  return {ScreenHeight(FindRom(config.rom)), kScreenWidth};
}

void AtariEnv::Render(View<uint8_t> rgb) const {
  if (!console_.on()) throw std::runtime_error("no game is loaded: reset the env first");
  const Palette palette = console_->palette();
  const uint8_t* pixel = console_->screen();
  for (size_t i = 0; i < rgb.size; i += 3, ++pixel) {
    for (int k = 0; k < 3; ++k) rgb[i + k] = palette.rgb[k][*pixel];
  }
}

}  // namespace parallel_pool::atari
