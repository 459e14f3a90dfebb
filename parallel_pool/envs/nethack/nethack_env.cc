#include "parallel_pool/envs/nethack/nethack_env.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "parallel_pool/envs/nethack/terminal.h"

namespace parallel_pool::nethack {
namespace {

constexpr int kMostStartKeys = 1000;

}  // namespace

Options<NethackEnv::ResetOptions> NethackEnv::ResetOptions::Describe() {
  using R = ResetOptions;
  const Range seeds = {.min = -1, .max = kMostSeed};
  return {Option<&R::core>("core", "seed of the game; -1: drawn by the env", seeds),
          Option<&R::disp>("disp", "seed of what it shows by chance; -1: drawn by the env", seeds),
          Option<&R::lgen>("lgen", "seed of all levels; -1: the option of make()", seeds),
          Option<&R::wizkit_items>("wizkit_items", "with wizard=True: things to begin with")};
}

EnvSpec<NethackEnv::Action, NethackEnv::State> NethackEnv::Describe(const Config& config) {
  EnvSpec<Action, State> spec;
  spec.action = {Array<&Action::key>("action", Discrete(NamesOf(config.keys)))};
  for (const auto& array : SpecsOf(config.shown, config)) spec.state.push_back(array);
  spec.state.push_back(Array<&State::end_status>("info:end_status", Discrete(4, -1)));
  spec.state.push_back(Array<&State::is_ascended>("info:is_ascended", Box({}, {0}, {1})));
  return spec;
}

NethackEnv::NethackEnv(const NethackConfig& config, Rng& rng, std::unique_ptr<Goal> goal,
                       const Asked& asked)
    : config_(config),
      known_keys_(config.allow_all_yn_questions),
      rng_(rng),
      goal_(std::move(goal)),
      game_(config.library, config.nhdat, asked, config.clock) {
  start_.options = OptionsText(config);
  start_.spawn_monsters = config.spawn_monsters;
}

void NethackEnv::Reset(const ResetOptions& options) {
  if (!options.wizkit_items.text.empty() && !config_.wizard) {
    throw std::invalid_argument("wizkit_items needs wizard=True");
  }
  // Both are drawn always, so that the next episodes do not depend on the options.
  const auto seed = [&](int64_t given) {
    const uint64_t drawn = rng_.Next64() >> 1;
    return given < 0 ? drawn : static_cast<uint64_t>(given);
  };
  start_.core = seed(options.core);
  start_.disp = seed(options.disp);
  const int64_t lgen = options.lgen < 0 ? config_.lgen : options.lgen;
  start_.has_lgen = lgen >= 0;
  start_.lgen = static_cast<uint64_t>(std::max<int64_t>(lgen, 0));
  start_.wizkit = options.wizkit_items.text;
  Begin();
}

void NethackEnv::Begin() {
  actions_.clear();
  status_ = Status::kRunning;
  turns_ = -1;
  stuck_ = 0;
  goal_->Begin();
  game_.Begin(start_);
  for (int i = 0; game_.arrays().program_state[kInMoveLoop] == 0; ++i) {
    if (game_.is_over() || i == kMostStartKeys) {
      throw std::runtime_error(
          "the game ended while it began: see the options `options` and "
          "`character`");
    }
    game_.Press(kSpace);
  }
  IsStuck();
  if (goal_->IsReached(game_)) status_ = Status::kSuccess;
}

Outcome NethackEnv::Play(int32_t action) {
  actions_.push_back(static_cast<uint8_t>(action));
  const int key = config_.keys[static_cast<size_t>(action)];
  goal_->BeforeStep(game_, key);
  game_.Press(key);
  IsStuck();
  if (!config_.allow_all_modes || game_.arrays().program_state[kGameOver] == 1) {
    known_keys_.Press(game_);
  }
  if (IsStuck()) {
    status_ = Status::kAborted;
  } else {
    status_ = goal_->IsReached(game_) ? Status::kSuccess : Status::kRunning;
  }
  if (game_.is_over()) status_ = Status::kDeath;
  const double reward = goal_->Reward(game_, status_);
  if (status_ == Status::kSuccess) known_keys_.Quit(game_);
  return {.reward = reward,
          .terminated = status_ == Status::kDeath || status_ == Status::kSuccess,
          .truncated = status_ == Status::kAborted};
}

bool NethackEnv::IsStuck() {
  const int64_t turns = game_.arrays().blstats[kTurns];
  stuck_ = turns == turns_ ? stuck_ + 1 : 0;
  turns_ = turns;
  return config_.no_progress_timeout > 0 && stuck_ >= config_.no_progress_timeout;
}

void NethackEnv::Observe(const State& state) const {
  Write(game_, config_, state);
  *state.end_status = static_cast<int32_t>(status_);
  *state.is_ascended = game_.how_it_ended() == kAscended;
}

ImageSize NethackEnv::RenderSize(const NethackConfig&) {
  return TerminalSize();
}

void NethackEnv::Render(View<uint8_t> rgb) const {
  DrawTerminal(game_.arrays(), rgb);
}

std::string NethackEnv::RenderText() const {
  return TerminalText(game_.arrays());
}

void NethackEnv::Save(Writer& writer) const {
  WriteAll(writer, std::tie(start_.core, start_.disp, start_.has_lgen, start_.lgen, start_.wizkit,
                            actions_));
}

bool NethackEnv::Load(Reader& reader) {
  Start start = start_;
  std::vector<uint8_t> actions;
  if (!ReadAll(reader, std::tie(start.core, start.disp, start.has_lgen, start.lgen, start.wizkit,
                                actions))) {
    return false;
  }
  const auto is_wrong = [&](uint8_t action) { return action >= config_.keys.size(); };
  if (std::ranges::any_of(actions, is_wrong)) return false;
  start_ = std::move(start);
  Begin();
  for (const uint8_t action : actions) Play(action);
  return true;
}

}  // namespace parallel_pool::nethack
