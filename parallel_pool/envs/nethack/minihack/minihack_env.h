// The env of MiniHack's tasks, equal to minihack 1.0.2: NetHack in one level, which a text
// describes. The names of its tasks are in names.py: each is this env with other options.
#pragma once

#include <memory>
#include <string>

#include "parallel_pool/envs/nethack/minihack/events.h"
#include "parallel_pool/envs/nethack/minihack/level.h"
#include "parallel_pool/envs/nethack/nethack_env.h"

namespace parallel_pool::nethack {

struct MinihackConfig : NethackConfig {
  std::string minihack_path;
  std::string des_file = kPlainRoom;
  Lines events;       // with tabs; see events.h
  std::string rules;  // "", "key_room" or "sokoban"
  double reward_win = 1.0, reward_lose = 0.0;
  double reward_shaping_coefficient = 0.1;
  bool autopickup = true, pet = false;

  MinihackConfig();
  static Options<MinihackConfig> Describe();
};

class MinihackEnv : public NethackEnv {
 public:
  using Config = MinihackConfig;

  static Options<Config> Describe() { return MinihackConfig::Describe(); }
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config) {
    return NethackEnv::Describe(config);
  }

  MinihackEnv(const Config& config, Rng& rng);
};

}  // namespace parallel_pool::nethack
