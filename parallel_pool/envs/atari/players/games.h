// The options of PettingZoo 1.27's Atari games, under its names and with its defaults. A game's
// Config has
//
//   Match match() const;                   the players and the mode that follow from the options
//   static constexpr bool kPlayersLeave;   whether a player may be out before the game is over
#pragma once

#include <string>

#include "parallel_pool/core/options.h"
#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

struct Match { int players, mode; };  // the mode as multi-agent-ale-py numbers it

struct PlayersConfig {
  std::string rom;  // set by the task, not an option
  std::string obs_type = "rgb_image";
  bool full_action_space = false;
  int frame_skip = 1, stack_num = 1;
  int img_height = 0, img_width = 0;
  bool use_inter_area_resize = true;
  bool agent_indicator = false, reward_clip = false;
  double repeat_action_probability = 0.0;
};

// The options of all games.
Options<PlayersConfig> PlayersOptions();

bool ShowsRam(const PlayersConfig& config);
// The format of one frame of a screen with `screen_height` rows.
FrameFormat FormatOf(const PlayersConfig& config, int screen_height);

// A game without more options.
struct FixedGame : PlayersConfig {
  static constexpr bool kPlayersLeave = false;

  static Options<PlayersConfig> Describe() { return PlayersOptions(); }
  Match match() const { return of_task; }

  Match of_task{};
};

// The same, where a player may be out before the game is over.
struct KnockoutGame : FixedGame { static constexpr bool kPlayersLeave = true; };

struct NumPlayersOption : PlayersConfig {
  static constexpr bool kPlayersLeave = false;

  static Options<NumPlayersOption> Describe();

  int num_players = 2;
};

// Two modes of Pong: for two players and for four.
struct PongVariant : NumPlayersOption {
  Match match() const;

  int mode_of_two = 0, mode_of_four = 0;
};

struct PongGame : NumPlayersOption {
  static Options<PongGame> Describe();
  Match match() const;

  std::string game_version = "classic";
};

struct PlaneGame : PlayersConfig {
  static constexpr bool kPlayersLeave = false;

  static Options<PlaneGame> Describe();
  Match match() const;

  std::string game_version = "bi-plane";
  bool guided_missile = true;
};

struct TankGame : PlayersConfig {
  static constexpr bool kPlayersLeave = false;

  static Options<TankGame> Describe();
  Match match() const;

  bool has_maze = true, is_invisible = false, billiard_hit = true;
};

struct MazeGame : PlayersConfig {
  static constexpr bool kPlayersLeave = true;

  static Options<MazeGame> Describe();
  Match match() const;

  std::string game_version = "robbers";
  int visibilty_level = 0;
};

struct InvadersGame : PlayersConfig {
  static constexpr bool kPlayersLeave = false;

  static Options<InvadersGame> Describe();
  Match match() const;

  bool alternating_control = false, moving_shields = true, zigzaging_bombs = false;
  bool fast_bomb = false, invisible_invaders = false;
};

}  // namespace parallel_pool::atari
