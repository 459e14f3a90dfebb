// One task for each game for one player: "space_invaders" is SpaceInvaders-v5.
#include <cctype>
#include <string>
#include <string_view>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/atari/atari_env.h"

namespace {

// The names of the ROM files without ".bin", made from them by the build.
constexpr std::string_view kRoms[] = {
#include "parallel_pool/envs/atari/rom_names.inc"
};

std::string TaskId(std::string_view rom) {
  std::string id;
  bool upper = true;
  for (char c : rom) {
    if (c != '_') id += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_';
  }
  return id + "-v5";
}

}  // namespace

PARALLEL_POOL_FAMILY(registry) {
  using parallel_pool::atari::AtariEnv;
  for (std::string_view rom : kRoms) {
    AtariEnv::Config config;
    config.rom = rom;
    registry.Add<AtariEnv>(TaskId(rom), {.max_episode_steps = 27000}, config);
  }
}
