// The tasks of nle 1.3.0, and MiniHack's base class. names.py has MiniHack's names.
#include <string>
#include <utility>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/nethack/minihack/minihack_env.h"
#include "parallel_pool/envs/nethack/nethack_env.h"

namespace parallel_pool::nethack {
namespace {

constexpr int kSteps = 5000;

void Add(Registry& registry, const std::string& name, GoalKind goal) {
  NethackConfig config;
  config.goal = goal;
  if (goal == GoalKind::kPlain) config.key_set = KeySet::kUseful;
  if (goal == GoalKind::kGold) config.options = NethackConfig::NleOptions("$");
  registry.Add<NethackEnv>("NetHack" + name + "-v0", {.max_episode_steps = kSteps},
                           std::move(config));
}

// The task of the NetHack Challenge at NeurIPS 2021: the whole keyboard, and no help.
void AddChallenge(Registry& registry) {
  NethackConfig config;
  config.key_set = KeySet::kAll;
  config.character = "@";
  config.allow_all_yn_questions = config.allow_all_modes = true;
  config.penalty_step = 0.0;
  config.no_progress_timeout = 10000;
  config.observation_keys = ChallengeKeys();
  registry.Add<NethackEnv>("NetHackChallenge-v0", {.max_episode_steps = 1000000},
                           std::move(config));
}

}  // namespace
}  // namespace parallel_pool::nethack

PARALLEL_POOL_FAMILY(registry) {
  using namespace parallel_pool::nethack;
  Add(registry, "", GoalKind::kPlain);
  Add(registry, "Eat", GoalKind::kEat);
  Add(registry, "Gold", GoalKind::kGold);
  Add(registry, "Oracle", GoalKind::kOracle);
  Add(registry, "Score", GoalKind::kScore);
  Add(registry, "Scout", GoalKind::kScout);
  Add(registry, "Staircase", GoalKind::kStaircase);
  Add(registry, "StaircasePet", GoalKind::kStaircasePet);
  AddChallenge(registry);
  registry.Add<MinihackEnv>("MiniHack-v0", {.max_episode_steps = 200});
}
