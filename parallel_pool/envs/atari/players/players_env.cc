#include "parallel_pool/envs/atari/players/players_env.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>

#include "parallel_pool/envs/atari/machine.h"
#include "parallel_pool/envs/atari/players/interleave.h"
#include "parallel_pool/envs/atari/shrink.h"
#include "parallel_pool/envs/atari/stick.h"

namespace parallel_pool::atari {
namespace {

constexpr const char* kNames[kMostPlayers] = {"first_0", "second_0", "third_0", "fourth_0"};
constexpr size_t kMaxObservation = size_t{1} << 28;  // bytes, of one player

std::vector<int> ActionsOf(const PlayersConfig& config) {
  if (!config.full_action_space) {
    const std::span<const int> own = RulesOf(config.rom).actions;
    return {own.begin(), own.end()};
  }
  std::vector<int> all(std::size(kActionNames));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return all;
}

Space ActionSpace(const PlayersConfig& config) {
  std::vector<std::string> names;
  for (const int action : ActionsOf(config)) names.emplace_back(kActionNames[action]);
  return Discrete(names);
}

// Bytes of one frame.
size_t FrameBytes(const PlayersConfig& config) {
  if (ShowsRam(config)) return kRamBytes;
  return FormatOf(config, PlayersScreenSize(config.rom).height).bytes();
}

Space ObservationSpace(const PlayersConfig& config, int players) {
  const int indicators = config.agent_indicator ? players : 0;
  if (ShowsRam(config)) return Box({kRamBytes * config.stack_num + indicators}, {0}, {255});
  const FrameFormat format = FormatOf(config, PlayersScreenSize(config.rom).height);
  const int channels = format.channels() * config.stack_num + indicators;
  return Box({format.size.height, format.size.width, channels}, {0}, {255});
}

void CheckSize(const PlayersConfig& config) {
  const size_t bytes = FrameBytes(config) * config.stack_num;
  if (bytes <= kMaxObservation) return;
  throw std::invalid_argument("stack_num=" + std::to_string(config.stack_num) +
                              ", img_height=" + std::to_string(config.img_height) +
                              ", img_width=" + std::to_string(config.img_width) +
                              " make observations of " + std::to_string(bytes) +
                              " bytes; allowed are " + std::to_string(kMaxObservation));
}

}  // namespace

ImageSize PlayersScreenSize(const std::string& rom) {
  static std::mutex mutex;
  static auto& heights = *new std::map<std::string, int>();
  const std::lock_guard lock(mutex);
  auto found = heights.find(rom);
  if (found == heights.end()) {
    const GameRules& rules = RulesOf(rom);
    const SharedConsole console(rules, {}, /*seed=*/0);
    found = heights.emplace(rom, console.screen_height()).first;
  }
  return {found->second, kScreenWidth};
}

EnvSpec<PlayersCore::Action, PlayersCore::State> PlayersCore::SpecOf(const PlayersConfig& config,
                                                                     Match match) {
  CheckSize(config);
  const int n = match.players;
  std::vector<Player> players;
  for (int p = 0; p < n; ++p) players.push_back({kNames[p], "player", {}});
  const Space number = Box({}, {-kInf}, {kInf});
  return {.action = {Array<&Action::index>("action", PerPlayer(n, ActionSpace(config)))},
          .state = {Array<&State::obs>("obs", PerPlayer(n, ObservationSpace(config, n))),
                    Array<&State::agent>("info:players.agent", PerPlayer(n, Discrete(n))),
                    Array<&State::lives>("info:players.lives", PerPlayer(n, Box({}, {-1}, {255}))),
                    Array<&State::terminated>("info:players.terminated",
                                              PerPlayer(n, Box({}, {0}, {1}))),
                    Array<&State::reward>("reward", PerPlayer(n, number)),
                    Array<&State::ram>("info:ram", Box({kRamBytes}, {0}, {255}))},
          .players = std::move(players)};
}

PlayersCore::PlayersCore(const PlayersConfig& config, Match match)
    : config_(config),
      actions_(ActionsOf(config)),
      players_(match.players),
      console_(config_, match),
      stack_(config.stack_num, FrameBytes(config)),
      frames_(config.stack_num * FrameBytes(config)) {}

void PlayersCore::Seed(uint64_t seed) {
  seed_ = seed;
  console_.TurnOff();
}

void PlayersCore::Reset() {
  if (!console_.on()) console_.TurnOn(static_cast<uint32_t>(seed_));
  console_->Reset();
  for (int p = 0; p < players_; ++p) is_shown_[p] = true;
  is_out_ = {};
  reward_ = {};
  console_.MakeFrame(console_->screen(), console_->screen(), stack_.Next());
  stack_.Repeat();
}

Outcome PlayersCore::Step(const Action& action) {
  std::array<int, kMostPlayers> actions{};
  // Players who are out get the first action of the set, as in PettingZoo.
  for (int p = 0, row = 0; p < players_; ++p) {
    const bool acts = is_shown_[p] && !is_out_[p];
    actions[p] = actions_[acts ? action.index[row] : 0];
    if (is_shown_[p]) ++row;
    is_shown_[p] = acts;
  }
  reward_ = {};
  const uint8_t* older = nullptr;
  bool all_out = false;
  for (int frame = 0; frame < config_.frame_skip && !all_out; ++frame) {
    older = frame > 0 ? console_->HoldScreen() : nullptr;
    console_->Act({actions.data(), static_cast<size_t>(players_)});
    const Tally& tally = console_->tally();
    all_out = true;
    for (int p = 0; p < players_; ++p) {
      if (!is_shown_[p] || is_out_[p]) continue;
      reward_[p] += tally.reward[p];
      is_out_[p] = tally.over || tally.lives[p] < 0;
      if (is_out_[p]) actions[p] = actions_[0];
      all_out = all_out && is_out_[p];
    }
  }
  const uint8_t* const newer = console_->screen();
  console_.MakeFrame(newer, older != nullptr ? older : newer, stack_.Next());
  return {.terminated = all_out};
}

int PlayersCore::CountRows() const {
  return static_cast<int>(std::ranges::count(is_shown_, true));
}

void PlayersCore::Observe(const State& state) const {
  const Tally& tally = console_->tally();
  const size_t width = state.obs.size / players_;
  const uint8_t* frames = stack_.newest();
  if (config_.stack_num > 1) {
    stack_.CopyTo(frames_.data());
    frames = frames_.data();
  }
  int row = 0;
  for (int p = 0; p < players_; ++p) {
    if (!is_shown_[p]) continue;
    uint8_t* const out = state.obs.data + row * width;
    if (row == 0 || config_.agent_indicator) {
      Write(p, frames, out);
    } else {
      std::memcpy(out, state.obs.data, width);
    }
    const double reward = reward_[p];
    state.agent[row] = p;
    state.lives[row] = tally.lives[p];
    state.terminated[row] = is_out_[p];
    state.reward[row] = config_.reward_clip ? (reward > 0) - (reward < 0) : reward;
    ++row;
  }
  std::memcpy(state.ram.data, console_->ram(), kRamBytes);
}

void PlayersCore::Write(int player, const uint8_t* frames, uint8_t* out) const {
  const int indicators = config_.agent_indicator ? players_ : 0;
  if (ShowsRam(config_)) {
    std::memcpy(out, frames, frames_.size());
    for (int p = 0; p < indicators; ++p) out[frames_.size() + p] = p == player ? 255 : 0;
    return;
  }
  const FrameFormat format = FormatOf(config_, console_->screen_height());
  const size_t pixels = static_cast<size_t>(format.size.height) * format.size.width;
  const int channels = format.channels(), all = channels * config_.stack_num;
  for (int k = 0; k < config_.stack_num; ++k) {
    WriteChannels(frames + k * format.bytes(), pixels, channels, all + indicators,
                  out + k * channels);
  }
  for (int p = 0; p < indicators; ++p) {
    const uint8_t value = p == player ? 255 : 0;
    for (size_t i = 0; i < pixels; ++i) out[i * (all + indicators) + all + p] = value;
  }
}

void PlayersCore::Render(View<uint8_t> rgb) const {
  if (!console_.on()) throw std::runtime_error("no game is loaded: reset the env first");
  Colors(console_->palette()).Write(console_->screen(), rgb.size / 3, rgb.data);
}

PlayersCore::Slot::Slot(const PlayersConfig& config, Match match)
    : config_(config),
      rules_(RulesOf(config.rom)),
      options_{match.players, match.mode, config.repeat_action_probability} {}

void PlayersCore::Slot::TurnOn(uint32_t seed) {
  console_ = std::make_unique<SharedConsole>(rules_, options_, seed);
  const int height = console_->screen_height();
  const FrameFormat format = FormatOf(config_, height);
  const Palette palette = console_->palette();
  frame_maker_ = std::make_unique<FrameMaker>(palette, height, format);
  if (!format.gray && format.size == ImageSize{height, kScreenWidth}) {
    colors_ = std::make_unique<Colors>(palette);
  }
  planes_.resize(format.gray || colors_ != nullptr ? 0 : format.bytes());
}

void PlayersCore::Slot::MakeFrame(const uint8_t* newer, const uint8_t* older, uint8_t* frame) {
  const size_t pixels = static_cast<size_t>(console_->screen_height()) * kScreenWidth;
  if (ShowsRam(config_)) {
    std::memcpy(frame, console_->ram(), kRamBytes);
  } else if (colors_ != nullptr && newer == older) {
    colors_->Write(newer, pixels, frame);
  } else if (colors_ != nullptr) {
    colors_->Write(newer, older, pixels, frame);
  } else if (planes_.empty()) {
    frame_maker_->Make(newer, older, frame);
  } else {
    frame_maker_->Make(newer, older, planes_.data());
    Interleave(planes_.data(), planes_.size() / 3, frame);
  }
}

void PlayersCore::Slot::Save(Writer& writer) const {
  const bool is_on = on();
  WriteAll(writer, std::tie(is_on));
  if (is_on) console_->Save(writer);
}

bool PlayersCore::Slot::Load(Reader& reader) {
  bool is_on = false;
  if (!ReadAll(reader, std::tie(is_on))) return false;
  if (!is_on) {
    TurnOff();
    return true;
  }
  if (!on()) TurnOn(/*seed=*/0);  // Load replaces all that depends on it
  return console_->Load(reader);
}

}  // namespace parallel_pool::atari
