// EnvPool's task for each mode of each game, and Procgen's own, which plays all modes.
#include <cctype>
#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/procgen/modes.h"
#include "parallel_pool/envs/procgen/procgen_env.h"

namespace parallel_pool::procgen {

namespace {

std::string Capitalized(std::string name) {
  name[0] = static_cast<char>(std::toupper(name[0]));
  return name;
}

}  // namespace

PARALLEL_POOL_FAMILY(registry) {
  for (const GameInfo& game : AllGames()) {
    const std::string name = game.name;
    ProcgenEnv::Config config;
    config.env_name = game.name;
    registry.Add<ProcgenEnv>("procgen-" + name + "-v0", {}, config);
    config.channel_first = true;
    std::vector<std::string> modes = {"easy", "hard"};
    modes.insert(modes.end(), game.modes.begin(), game.modes.end());
    for (const std::string& mode : modes) {
      config.mode = mode;
      registry.Add<ProcgenEnv>(Capitalized(name) + Capitalized(mode) + "-v0", {}, config);
    }
  }
}

}  // namespace parallel_pool::procgen
