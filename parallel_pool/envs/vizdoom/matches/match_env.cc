#include "parallel_pool/envs/vizdoom/matches/match_env.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "parallel_pool/envs/vizdoom/package.h"
#include "parallel_pool/envs/vizdoom/picture.h"

namespace parallel_pool::vizdoom {
namespace {

constexpr int kMostPlayers = 8;
constexpr double kMaxFloat = std::numeric_limits<float>::max();
constexpr double kMaxInt = std::numeric_limits<int32_t>::max();
// A chunk has at least this many engines, so that they work while others are waited for.
constexpr int kEnginesOfChunk = 4;

// The keys of .cfg files that mean something in a match.
constexpr const char* kScenarioOptions[] = {
    "doom_map",
    "doom_skill",
    "episode_start_time",
    "death_penalty",
    "screen_resolution",
    "screen_format",
    "render_hud",
    "render_minimal_hud",
    "render_weapon",
    "render_crosshair",
    "render_decals",
    "render_particles",
    "render_effects_sprites",
    "render_messages",
    "render_corpses",
    "render_screen_flashes",
};

}  // namespace

Options<MatchEnv::Config> MatchEnv::Describe() {
  Options<Config> options = {
      Option<&Config::engine_path>("engine_path", "folder of the package vizdoom; '': Python's"),
      Option<&Config::max_num_players>("max_num_players", "players, each with an engine of its own",
                                       {.min = 2, .max = kMostPlayers}),
      Option<&Config::num_bots>("num_bots", "further players that the engine moves",
                                {.min = 0, .max = kMaxPlayers - kMostPlayers}),
      Option<&Config::frame_skip>("frame_skip", "tics for which an action is held",
                                  {.min = 1, .max = 35}),
      Option<&Config::img_height>("img_height", "height of the observation, in pixels",
                                  {.min = 1, .max = 1200}),
      Option<&Config::img_width>("img_width", "width of the observation, in pixels",
                                 {.min = 1, .max = 1920}),
      Option<&Config::stack_num>("stack_num", "frames of an observation", {.min = 1, .max = 64}),
  };
  for (const auto& option : Scenario::Describe()) {
    if (std::ranges::find(kScenarioOptions, option.name) != std::end(kScenarioOptions)) {
      options.push_back(option);
    }
  }
  return options;
}

void MatchEnv::Complete(Config& config) {
  config.package = FindPackage(config.engine_path);
  LoadScenario(config.package, config.config_file, config);
  // The files name 320x240; each env draws a screen for each player.
  config.screen_resolution = "RES_160X120";
  config.planar_colors = true;
  config.binary.clear();
  config.deltas.clear();
  for (const int button : config.buttons) {
    (button < kNumBinaryButtons ? config.binary : config.deltas).push_back(button);
  }
}

EnvSpec<MatchEnv::Action, MatchEnv::State> MatchEnv::Describe(const Config& config) {
  CheckMap(config);
  const auto each = [&](Space space) { return PerPlayer(config.max_num_players, space); };
  const int binary = static_cast<int>(config.binary.size());
  const int deltas = static_cast<int>(config.deltas.size());
  const Space frames = Box(
      {config.stack_num * NumChannels(config), config.img_height, config.img_width}, {0}, {255});
  const Space number = Box({}, {-kMaxInt}, {kMaxInt}), count = Box({}, {0}, {kMaxInt});
  return {
      .action = {Array<&Action::pressed>("binary", each(MultiBinary(binary))),
                 Array<&Action::deltas>("continuous",
                                        each(Box({deltas}, {-kMaxFloat}, {kMaxFloat})))},
      .state = {Array<&State::obs>("obs", each(frames)),
                Array<&State::reward>("reward", each(Box({}, {-kInf}, {kInf}))),
                Array<&State::frags>("info:players.frags", each(number)),
                Array<&State::deaths>("info:players.deaths", each(count)),
                Array<&State::dead>("info:players.dead", each(Box({}, {0}, {1}))),
                Array<&State::health>("info:players.health", each(count)),
                Array<&State::armor>("info:players.armor", each(count)),
                Array<&State::weapon>("info:players.weapon", each(Box({}, {-1}, {kNumSlots - 1}))),
                Array<&State::ammo>("info:players.ammo", each(count)),
                Array<&State::hits>("info:players.hits", each(count)),
                Array<&State::damage>("info:players.damage", each(count))}};
}

MatchEnv::MatchEnv(const Config& config, Rng& rng)
    : config_(config),
      rng_(rng),
      match_(config.package, config, config.max_num_players, config.num_bots) {
  const ImageSize size = {.height = config.img_height, .width = config.img_width};
  const ScreenStack screens(config, size, config.stack_num, drawing::Interpolation::kArea);
  for (int p = 0; p < config.max_num_players; ++p) players_.push_back({.screens = screens});
}

void MatchEnv::ResetChunk(Chunk<MatchEnv>& chunk) {
  chunk.ForEach([&](int i) { chunk.env(i).match_.Begin(chunk.env(i).rng_.Next32()); });
  chunk.ForEach([&](int i) { chunk.env(i).BeginEpisode(); });
}

int MatchEnv::ChunkSize(const Config& config) {
  return (kEnginesOfChunk + config.max_num_players - 1) / config.max_num_players;
}

void MatchEnv::StepChunk(Chunk<MatchEnv>& chunk) {
  chunk.ForEach([&](int i) { chunk.env(i).Press(chunk.action(i)); });
  // All players of all envs play a tic together: an engine's tic ends when it has the commands of
  // all others.
  for (int left = chunk.env(0).config_.frame_skip; left > 0; --left) {
    chunk.ForEach([&](int i) { chunk.env(i).match_.StartTic(left == 1); });
    chunk.ForEach([&](int i) { chunk.env(i).match_.Wait(); });
  }
  chunk.ForEach([&](int i) { chunk.outcome(i) = chunk.env(i).EndStep(); });
}

void MatchEnv::Press(const Action& action) {
  const size_t binary = config_.binary.size(), deltas = config_.deltas.size();
  for (int player = 0; player < match_.num_players(); ++player) {
    for (size_t i = 0; i < binary; ++i) {
      match_.Press(player, config_.binary[i], action.pressed[player * binary + i]);
    }
    for (size_t i = 0; i < deltas; ++i) {
      match_.Press(player, config_.deltas[i], action.deltas[player * deltas + i]);
    }
  }
}

void MatchEnv::BeginEpisode() {
  match_.WaitForBegin();
  for (int p = 0; p < match_.num_players(); ++p) {
    Player& player = players_[p];
    player.first = CountsOf(p);
    player.now = {};
    player.reward = 0;
    player.screens.Push(match_.engine(p));
    player.screens.Repeat();
  }
}

Outcome MatchEnv::EndStep() {
  for (int p = 0; p < match_.num_players(); ++p) {
    Player& player = players_[p];
    const Counts last = player.now;
    player.now = CountsOf(p) - player.first;
    const Counts gained = player.now - last;
    player.reward = static_cast<float>(gained.frags - config_.death_penalty * gained.deaths);
    player.screens.Push(match_.engine(p));
  }
  return {.terminated = match_.HasEnded()};
}

MatchEnv::Counts MatchEnv::Counts::operator-(const Counts& other) const {
  return {.frags = frags - other.frags,
          .deaths = deaths - other.deaths,
          .hits = hits - other.hits,
          .damage = damage - other.damage};
}

MatchEnv::Counts MatchEnv::CountsOf(int player) const {
  const GameState& state = match_.state(player);
  return {.frags = state.player_frag_count,
          .deaths = state.player_death_count,
          .hits = state.player_hit_count,
          .damage = state.player_damage_count};
}

void MatchEnv::Observe(const State& state) const {
  for (int p = 0; p < match_.num_players(); ++p) {
    const Player& player = players_[p];
    const GameState& game = match_.state(p);
    player.screens.CopyTo(state.obs.begin() + p * (state.obs.size / players_.size()));
    state.reward[p] = player.reward;
    state.frags[p] = player.now.frags;
    state.deaths[p] = player.now.deaths;
    state.dead[p] = game.player_dead;
    // A dead player has no body, and large negative numbers stand for its health and armor.
    state.health[p] = std::max(game.player_health, 0);
    state.armor[p] = std::max(game.player_armor, 0);
    state.weapon[p] = game.player_selected_weapon;
    state.ammo[p] = std::max(game.player_selected_weapon_ammo, 0);
    state.hits[p] = player.now.hits;
    state.damage[p] = player.now.damage;
  }
}

ImageSize MatchEnv::RenderSize(const Config& config) {
  const ImageSize screen = SizeOf(config);
  return {.height = screen.height, .width = screen.width * config.max_num_players};
}

void MatchEnv::Render(View<uint8_t> rgb) const {
  if (!match_.IsRunning()) {
    std::ranges::fill(rgb, uint8_t{0});
    return;
  }
  const ImageSize size = SizeOf(config_);
  const size_t row_bytes = static_cast<size_t>(size.width) * 3;
  std::vector<uint8_t> screen(size.height * row_bytes);
  for (int p = 0; p < match_.num_players(); ++p) {
    DrawPicture(match_.engine(p), config_, {screen.data(), screen.size()});
    for (int y = 0; y < size.height; ++y) {
      std::copy_n(screen.data() + y * row_bytes, row_bytes,
                  rgb.begin() + (y * match_.num_players() + p) * row_bytes);
    }
  }
}

}  // namespace parallel_pool::vizdoom
