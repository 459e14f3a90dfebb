#include "parallel_pool/envs/vizdoom/envpool/stacked_env.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "parallel_pool/envs/vizdoom/play_together.h"

namespace parallel_pool::vizdoom {
namespace {

// A delta button's number in a sampled action: degrees, or the speed of a movement.
constexpr double kMostDelta = 180.0;

// A game variable in the infos, with its name.
struct Info {
  View<double> StackedEnv::State::* member;
  int variable;
};

using State = StackedEnv::State;

constexpr Info kInfos[] = {
    {&State::ammo2, kAmmo0 + 2},
    {&State::ammo3, kAmmo0 + 3},
    {&State::ammo4, kAmmo0 + 4},
    {&State::ammo5, kAmmo0 + 5},
    {&State::ammo6, kAmmo0 + 6},
    {&State::ammo7, kAmmo0 + 7},
    {&State::armor, kArmor},
    {&State::damage_count, kDamageCount},
    {&State::death_count, kDeathCount},
    {&State::frag_count, kFragCount},
    {&State::health, kHealth},
    {&State::hit_count, kHitCount},
    {&State::kill_count, kKillCount},
    {&State::selected_weapon, kSelectedWeapon},
    {&State::selected_weapon_ammo, kSelectedWeaponAmmo},
    {&State::user2, kUser1 + 1},
};

template <size_t... i>
void AddInfos(std::vector<ArrayOf<State>>& arrays, std::index_sequence<i...>) {
  (arrays.push_back(Array<kInfos[i].member>("info:" + VariableNames()[kInfos[i].variable],
                                            Box({}, {-kInf}, {kInf}))),
   ...);
}

Space ActionSpace(const StackedEnv::Config& config) {
  if (config.use_combined_action) return Discrete(static_cast<int>(config.button_sets->size()));
  std::vector<double> low, high;
  for (const int button : config.buttons) {
    const bool is_delta = button >= kNumBinaryButtons;
    low.push_back(is_delta ? -kMostDelta : 0);
    high.push_back(is_delta ? kMostDelta : 1);
  }
  return Box({static_cast<int32_t>(low.size())}, low, high);
}

}  // namespace

std::vector<int> StackedEnv::InfoVariables() {
  std::vector<int> variables;
  for (const Info& info : kInfos) variables.push_back(info.variable);
  return variables;
}

EnvSpec<StackedEnv::Action, StackedEnv::State> StackedEnv::Describe(const Config& config) {
  EnvSpec<Action, State> spec;
  const Space action = ActionSpace(config);
  spec.action.push_back(config.use_combined_action ? Array<&Action::choice>("action", action)
                                                   : Array<&Action::numbers>("action", action));
  const int channels = config.stack_num * NumChannels(config);
  spec.state.push_back(
      Array<&State::obs>("obs", Box({channels, config.img_height, config.img_width}, {0}, {255})));
  AddInfos(spec.state, std::make_index_sequence<std::size(kInfos)>());
  return spec;
}

StackedEnv::StackedEnv(const Config& config, Rng& rng, int env)
    : config_(config),
      rng_(rng),
      env_(env),
      game_(config.package, config),
      rewards_(config.rules),
      screens_(config, {.height = config.img_height, .width = config.img_width}, config.stack_num,
               config.use_inter_area_resize ? drawing::Interpolation::kArea
                                            : drawing::Interpolation::kLinear) {}

void StackedEnv::ResetChunk(Chunk<StackedEnv>& chunk) {
  chunk.ForEach([&](int i) {
    StackedEnv& env = chunk.env(i);
    env.game_.Begin(env.rng_.Next32(), env.NextDemo());
  });
  chunk.ForEach([&](int i) {
    StackedEnv& env = chunk.env(i);
    env.game_.WaitForBegin();
    env.BeginEpisode();
  });
}

std::filesystem::path StackedEnv::NextDemo() {
  if (config_.lmp_save_dir.empty()) return {};
  const std::string name =
      "env_" + std::to_string(env_) + "_" + std::to_string(num_demos_++) + ".lmp";
  return std::filesystem::path(config_.lmp_save_dir) / name;
}

bool StackedEnv::Continue() {
  if (!config_.episodic_life || game_.HasEnded()) return false;
  for (const int button : config_.buttons) game_.Press(button, 0.0);
  game_.Start(config_.frame_skip);
  while (game_.IsPlaying()) {
    game_.Send();
    game_.Wait();
  }
  BeginEpisode();
  return !game_.HasEnded();
}

void StackedEnv::BeginEpisode() {
  rewards_.Begin(game_);
  screens_.Push(game_.engine());
  screens_.Repeat();
}

void StackedEnv::StepChunk(Chunk<StackedEnv>& chunk) {
  chunk.ForEach([&](int i) {
    StackedEnv& env = chunk.env(i);
    env.Press(chunk.action(i));
    env.game_.Start(env.config_.frame_skip);
  });
  PlayTogether(chunk, [&](int i) { chunk.outcome(i) = chunk.env(i).Result(); });
}

void StackedEnv::Press(const Action& action) {
  for (size_t i = 0; i < config_.buttons.size(); ++i) {
    const bool is_set = config_.use_combined_action;
    game_.Press(config_.buttons[i],
                is_set ? (*config_.button_sets)[*action.choice][i] : action.numbers[i]);
  }
}

Outcome StackedEnv::Result() {
  Outcome outcome = {.reward = rewards_.Step(game_)};
  outcome.terminated = game_.MapHasEnded() || (config_.episodic_life && game_.PlayerIsDead());
  outcome.truncated = !outcome.terminated && game_.TimeIsOver();
  screens_.Push(game_.engine());
  return outcome;
}

void StackedEnv::Observe(const State& state) const {
  screens_.CopyTo(state.obs.data);
  for (const Info& info : kInfos) *(state.*info.member) = rewards_.Value(info.variable);
}

}  // namespace parallel_pool::vizdoom
