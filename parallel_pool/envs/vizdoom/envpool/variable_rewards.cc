#include "parallel_pool/envs/vizdoom/envpool/variable_rewards.h"

#include <algorithm>

#include "parallel_pool/envs/vizdoom/scenario/words.h"

namespace parallel_pool::vizdoom {
namespace {

// The most of one step that counts; more would reward strong weapons too much.
constexpr double kMostDamage = 200.0, kMostHits = 5.0;
// HEALTH at the first observation of an episode, if the player has no body then.
constexpr double kFullHealth = 100.0;

// The engine counts these on over episodes.
bool RunsOn(int variable) {
  return variable == kHitCount || variable == kDamageCount || variable == kDeathCount;
}

double Limit(int variable, double change) {
  if (variable == kDamageCount) return std::min(change, kMostDamage);
  if (variable == kHitCount) return std::min(change, kMostHits);
  return change;
}

}  // namespace

VariableRewards::VariableRewards(const RewardRules& rules)
    : weapon_rewards_(rules.weapons), weapon_duration_(rules.weapon_duration) {
  for (const int variable : rules.variables) {
    const auto gain = rules.gains.find(variable);
    const bool counts = gain != rules.gains.end();
    all_.push_back({.variable = variable, .gain = counts ? gain->second : RewardRules::Gain{0, 0}});
  }
}

void VariableRewards::Begin(const Game& game) {
  for (Tracked& t : all_) {
    const double value = game.Value(t.variable);
    t.start = RunsOn(t.variable) ? value : 0.0;
    t.value = value - t.start;
    if (t.variable == kHealth && value < 0) t.value = kFullHealth;
  }
  weapon_ = -1;
  weapon_steps_ = 0;
  WeaponReward(game);
}

double VariableRewards::Step(const Game& game) {
  double reward = 0.0;
  for (Tracked& t : all_) {
    const double last = t.value;
    t.value = game.Value(t.variable) - t.start;
    if (t.variable == kHealth && t.value < 0) t.value = last;  // of a player without a body
    const double change = Limit(t.variable, t.value - last);
    reward += change >= 0 ? change * t.gain.up : -(change * t.gain.down);
  }
  return reward + WeaponReward(game);
}

double VariableRewards::WeaponReward(const Game& game) {
  const int weapon = static_cast<int>(game.Value(kSelectedWeapon));
  weapon_steps_ = weapon == weapon_ ? weapon_steps_ + 1 : 1;
  weapon_ = weapon;
  const bool is_slot = weapon >= 0 && weapon < kNumWeapons;
  if (!is_slot || weapon_steps_ < weapon_duration_ || game.Value(kSelectedWeaponAmmo) <= 0) {
    return 0.0;
  }
  return weapon_rewards_[weapon];
}

double VariableRewards::Value(int variable) const {
  return std::ranges::find(all_, variable, &Tracked::variable)->value;
}

}  // namespace parallel_pool::vizdoom
