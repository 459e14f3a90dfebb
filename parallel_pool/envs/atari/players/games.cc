#include "parallel_pool/envs/atari/players/games.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {
namespace {

using Config = PlayersConfig;

constexpr int kMaxSide = 4096;  // pixels per side of an observation
constexpr const char* kObsTypes[] = {"rgb_image", "grayscale_image", "ram"};
constexpr const char* kPlanes[] = {"bi-plane", "jet"};
constexpr const char* kMazes[] = {"race", "robbers", "capture"};
constexpr int kMazeModes[] = {0, 4, 44};  // with visibilty_level=0

struct PongVersion {
  const char* name;
  int mode_of_two, mode_of_four;  // 0: there is none
};
constexpr PongVersion kPongVersions[] = {
    {"classic", 4, 6},    {"two_paddles", 10, 11}, {"soccer", 14, 16},
    {"foozpong", 19, 21}, {"hockey", 27, 29},      {"quadrapong", 0, 33},
    {"handball", 35, 37}, {"volleyball", 39, 41},  {"basketball", 45, 49},
};
constexpr auto kPongNames = [] {
  std::array<const char*, std::size(kPongVersions)> names{};
  std::ranges::transform(kPongVersions, names.begin(), &PongVersion::name);
  return names;
}();

// The options of all games, then those of one.
template <class Game>
Options<Game> WithCommon(Options<Game> own) {
  Options<Game> options;
  for (const auto& option : PlayersOptions()) options.push_back(option);
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

Match MatchOf(int num_players, int mode_of_two, int mode_of_four) {
  if (num_players != 2 && num_players != 4) {
    throw std::invalid_argument("num_players=" + std::to_string(num_players) +
                                ": allowed are 2 and 4");
  }
  return {num_players, num_players == 2 ? mode_of_two : mode_of_four};
}

}  // namespace

Options<Config> PlayersOptions() {
  return {
      Option<&Config::obs_type>("obs_type", "the screen in color or gray, or the console's RAM",
                                OneOf(kObsTypes)),
      Option<&Config::full_action_space>("full_action_space",
                                         "all 18 actions, not only those that the game uses"),
      Option<&Config::frame_skip>("frame_skip", "emulated frames for each step, 1 or more",
                                  {.min = 1, .max = 1000}),
      Option<&Config::stack_num>("stack_num", "frames in an observation, 1 to 1000",
                                 {.min = 1, .max = 1000}),
      Option<&Config::img_height>("img_height",
                                  "rows of an observation, 1 to 4096; 0: those of the screen",
                                  {.min = 0, .max = kMaxSide}),
      Option<&Config::img_width>("img_width",
                                 "columns of an observation, 1 to 4096; 0: those of the screen",
                                 {.min = 0, .max = kMaxSide}),
      Option<&Config::use_inter_area_resize>("use_inter_area_resize",
                                             "resize by area (cv2.INTER_AREA), else linearly"),
      Option<&Config::agent_indicator>(
          "agent_indicator",
          "an observation has one more channel for each player: 255 in that of "
          "the player who observes, else 0"),
      Option<&Config::reward_clip>("reward_clip", "a reward is its sign: -1, 0 or 1"),
      Option<&Config::repeat_action_probability>(
          "repeat_action_probability",
          "probability that a frame repeats the player's action of the frame before, 0 to 1",
          {.min = 0, .max = 1}),
  };
}

bool ShowsRam(const Config& config) {
  return config.obs_type == "ram";
}

FrameFormat FormatOf(const Config& config, int screen_height) {
  return {{config.img_height > 0 ? config.img_height : screen_height,
           config.img_width > 0 ? config.img_width : kScreenWidth},
          config.obs_type == "grayscale_image",
          config.use_inter_area_resize ? drawing::Interpolation::kArea
                                       : drawing::Interpolation::kLinear};
}

Options<NumPlayersOption> NumPlayersOption::Describe() {
  return WithCommon<NumPlayersOption>(
      {Option<&NumPlayersOption::num_players>("num_players", "2 or 4", {.min = 2, .max = 4})});
}

Match PongVariant::match() const {
  return MatchOf(num_players, mode_of_two, mode_of_four);
}

Options<PongGame> PongGame::Describe() {
  Options<PongGame> options;
  for (const auto& option : NumPlayersOption::Describe()) options.push_back(option);
  options.push_back(Option<&PongGame::game_version>(
      "game_version", "kind of Pong; \"quadrapong\" is for four players",
      Span<const char*>::Of(kPongNames)));
  return options;
}

Match PongGame::match() const {
  const auto* const version = std::ranges::find(kPongVersions, game_version, &PongVersion::name);
  const Match match = MatchOf(num_players, version->mode_of_two, version->mode_of_four);
  if (match.mode != 0) return match;
  throw std::invalid_argument("game_version=\"" + game_version + "\" needs num_players=4, not " +
                              std::to_string(num_players));
}

Options<PlaneGame> PlaneGame::Describe() {
  return WithCommon<PlaneGame>(
      {Option<&PlaneGame::game_version>("game_version", "kind of planes", OneOf(kPlanes)),
       Option<&PlaneGame::guided_missile>("guided_missile",
                                          "missiles can be steered while they fly")});
}

Match PlaneGame::match() const {
  return {2, (game_version == "jet" ? 21 : 15) + (guided_missile ? 0 : 1)};
}

Options<TankGame> TankGame::Describe() {
  return WithCommon<TankGame>(
      {Option<&TankGame::has_maze>("has_maze", "there are walls"),
       Option<&TankGame::is_invisible>("is_invisible",
                                       "tanks are seen only when they shoot or hit"),
       Option<&TankGame::billiard_hit>("billiard_hit", "shots bounce off walls")});
}

Match TankGame::match() const {
  const int open = is_invisible ? (billiard_hit ? 13 : 10) : (billiard_hit ? 8 : 1);
  return {2, open + (has_maze ? 1 : 0)};
}

Options<MazeGame> MazeGame::Describe() {
  return WithCommon<MazeGame>(
      {Option<&MazeGame::game_version>("game_version", "kind of game", OneOf(kMazes)),
       Option<&MazeGame::visibilty_level>("visibilty_level",
                                          "0: the whole maze is seen, to 3: none of it",
                                          {.min = 0, .max = 3})});
}

Match MazeGame::match() const {
  const auto version = std::ranges::find(kMazes, game_version) - std::begin(kMazes);
  return {2, kMazeModes[version] + visibilty_level};
}

Options<InvadersGame> InvadersGame::Describe() {
  return WithCommon<InvadersGame>(
      {Option<&InvadersGame::alternating_control>("alternating_control",
                                                  "the players steer one cannon in turn"),
       Option<&InvadersGame::moving_shields>("moving_shields", "the shields move"),
       Option<&InvadersGame::zigzaging_bombs>("zigzaging_bombs", "bombs fall in zigzags"),
       Option<&InvadersGame::fast_bomb>("fast_bomb", "bombs fall fast"),
       Option<&InvadersGame::invisible_invaders>("invisible_invaders", "invaders are not seen")});
}

Match InvadersGame::match() const {
  return {2, 33 + (moving_shields ? 1 : 0) + (zigzaging_bombs ? 2 : 0) + (fast_bomb ? 4 : 0) +
                 (invisible_invaders ? 8 : 0) + (alternating_control ? 16 : 0)};
}

}  // namespace parallel_pool::atari
