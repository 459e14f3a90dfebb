#include "parallel_pool/envs/nethack/minihack/minihack_env.h"

#include "parallel_pool/envs/nethack/minihack/goals.h"
#include "parallel_pool/envs/nethack/package.h"

namespace parallel_pool::nethack {
namespace {

constexpr const char* kRules[] = {"", "key_room", "sokoban"};

}  // namespace

MinihackConfig::MinihackConfig() {
  observation_keys = MinihackKeys();
  key_set = KeySet::kMinihack;
  options = {};
  allow_all_yn_questions = true;
  spawn_monsters = false;
}

Options<MinihackConfig> MinihackConfig::Describe() {
  using C = MinihackConfig;
  Options<C> options = {
      Option<&C::des_file>("des_file", "the level: its text, or a file that ends in .des"),
      Option<&C::events>("events",
                         "what is rewarded instead of stairs; names.py makes it of a "
                         "reward_manager"),
      Option<&C::rules>("rules", "special rules of MiniHack's tasks with these names",
                        OneOf(kRules)),
      Option<&C::reward_win>("reward_win", "reward for the stairs"),
      Option<&C::reward_lose>("reward_lose", "reward at another end"),
      Option<&C::reward_shaping_coefficient>("reward_shaping_coefficient",
                                             "with sokoban: reward for a pit that is filled"),
      Option<&C::autopickup>("autopickup", "the agent picks up what it walks on"),
      Option<&C::pet>("pet", "the agent has a pet"),
      Option<&C::minihack_path>("minihack_path", "folder of the package minihack; '': Python's"),
  };
  for (const auto& option : NethackConfig::Describe()) options.push_back(option);
  return options;
}

void MinihackEnv::Complete(Config& config) {
  if (config.options.text.empty()) {
    config.options.text =
        "color\nshowexp\nnobones\nnolegacy\nnocmdassist\ndisclose:+i +a +v +g +c +o\n"
        "runmode:teleport\nmention_walls\nnosparkle\nshowscore";
    if (!config.autopickup) config.options.text += "\n!autopickup";
    if (!config.pet) config.options.text += "\npettype:none";
  }
  nethack::Complete(config);
  ReadEvents(config.events);
  const auto minihack = FindMinihack(config.minihack_path);
  config.nhdat =
      CompileLevel(ReadLevel(config.des_file, minihack), FindPackage(config.engine_path), minihack);
}

MinihackEnv::MinihackEnv(const Config& config, Rng& rng)
    // MiniHack asks for all arrays, and shows some of them.
    : NethackEnv(config, rng, MakeMinihackGoal(config), Asked{}) {}

}  // namespace parallel_pool::nethack
