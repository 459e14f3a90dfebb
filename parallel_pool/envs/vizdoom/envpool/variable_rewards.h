// EnvPool's rewards: for changes of the game's variables, and for the weapon in hand.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "parallel_pool/envs/vizdoom/game.h"

namespace parallel_pool::vizdoom {

inline constexpr int kNumWeapons = 10;  // the slots 0 to 9

struct RewardRules {
  // The rewards for each unit by which a variable rises, and by which it falls.
  struct Gain { double up, down; };

  std::vector<int> variables;  // places in VariableNames(); the sum has this order
  std::map<int, Gain> gains;   // of some of `variables`
  // Added at each step at which the weapon of a slot has been in hand for `weapon_duration` steps
  // and has ammunition.
  std::array<double, kNumWeapons> weapons = {};
  int weapon_duration = 5;
};

class VariableRewards {
 public:
  explicit VariableRewards(const RewardRules& rules);

  // Takes the values of an episode's first observation.
  void Begin(const Game& game);
  // The reward since the last call of either function.
  double Step(const Game& game);

  // The value of one of the rules' variables at the last call. HITCOUNT, DAMAGECOUNT and DEATHCOUNT
  // count from the beginning of the episode. HEALTH of a dead player without a body is the last
  // one before that.
  double Value(int variable) const;

 private:
  struct Tracked {
    int variable;
    RewardRules::Gain gain;
    double start = 0.0;  // of a count, where the episode began
    double value = 0.0;
  };

  double WeaponReward(const Game& game);

  std::vector<Tracked> all_;
  const std::array<double, kNumWeapons> weapon_rewards_;
  const int weapon_duration_;
  int weapon_ = -1;       // in hand; -1: none yet
  int weapon_steps_ = 0;  // steps for which it has been in hand
};

}  // namespace parallel_pool::vizdoom
