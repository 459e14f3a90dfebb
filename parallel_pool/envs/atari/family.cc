// One task for each game for one player: "space_invaders" is SpaceInvaders-v5. Then PettingZoo
// 1.27's games for several players, under its names: "atari/pong-v3" is pong-v3.
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/atari/atari_env.h"
#include "parallel_pool/envs/atari/players/players_env.h"

namespace parallel_pool::atari {
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

template <class Game>
Game Played(std::string rom) {
  Game game;
  game.rom = std::move(rom);
  return game;
}

template <class Game>
Game Played(std::string rom, Match match) {
  auto game = Played<Game>(std::move(rom));
  game.of_task = match;
  return game;
}

PongVariant OfPong(int players, int mode_of_two, int mode_of_four) {
  auto game = Played<PongVariant>("pong");
  game.num_players = players;
  game.mode_of_two = mode_of_two;
  game.mode_of_four = mode_of_four;
  return game;
}

}  // namespace

PARALLEL_POOL_FAMILY(registry) {
  for (std::string_view rom : kRoms) {
    AtariEnv::Config config;
    config.rom = rom;
    registry.Add<AtariEnv>(TaskId(rom), {.max_episode_steps = 27000}, config);
  }

  registry.BeginSuite("pettingzoo");
  const auto add = [&]<class Game>(const char* id, const Game& game) {
    registry.Add<PlayersEnv<Game>>(id, {.max_episode_steps = 100000}, game);  // max_cycles
  };
  const auto fixed = [&](const char* id, const char* rom, int mode) {
    add(id, Played<FixedGame>(rom, {2, mode}));
  };
  const auto knockout = [&](const char* id, const char* rom, Match match) {
    add(id, Played<KnockoutGame>(rom, match));
  };
  add("basketball_pong-v3", OfPong(2, 45, 49));
  fixed("boxing-v2", "boxing", 2);
  add("combat_plane-v2", Played<PlaneGame>("combat"));
  add("combat_tank-v2", Played<TankGame>("combat"));
  fixed("double_dunk-v3", "double_dunk", 16);
  fixed("entombed_competitive-v3", "entombed", 2);
  fixed("entombed_cooperative-v3", "entombed", 3);
  fixed("flag_capture-v2", "flag_capture", 1);
  add("foozpong-v3", OfPong(4, 19, 21));
  fixed("ice_hockey-v2", "ice_hockey", 1);
  knockout("joust-v3", "joust", {2, 1});
  knockout("mario_bros-v3", "mario_bros", {2, 2});
  add("maze_craze-v3", Played<MazeGame>("maze_craze"));
  fixed("othello-v3", "othello", 4);
  add("pong-v3", Played<PongGame>("pong"));
  add("quadrapong-v4", Played<FixedGame>("pong", {4, 33}));
  add("space_invaders-v2", Played<InvadersGame>("space_invaders"));
  fixed("space_war-v2", "space_war", 1);
  fixed("surround-v2", "surround", 1);
  fixed("tennis-v3", "tennis", 2);
  fixed("video_checkers-v4", "video_checkers", 10);
  add("volleyball_pong-v3", OfPong(4, 39, 41));
  knockout("warlords-v3", "warlords", {4, 1});
  knockout("wizard_of_wor-v3", "wizard_of_wor", {2, 1});
}

}  // namespace parallel_pool::atari
