#include "parallel_pool/envs/vizdoom/game.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace parallel_pool::vizdoom {
namespace {

// The numbers of the engine's formats of pixels.
constexpr int kPlanes = 0, kRgb24 = 1, kGray8 = 8;

int AspectOf(ImageSize size) {
  const int w = size.width, h = size.height;
  if (9 * w == 16 * h) return 1;
  if (10 * w == 16 * h) return 2;
  if (3 * w == 4 * h) return 3;
  if (4 * w == 5 * h) return 4;
  return 0;
}

// The bits of the engine's variable viz_render_mode, from the lowest.
int RenderMode(const Scenario& s) {
  const bool bits[] = {s.render_hud,
                       s.render_minimal_hud,
                       s.render_weapon,
                       s.render_crosshair,
                       s.render_decals,
                       s.render_particles,
                       s.render_effects_sprites,
                       s.render_messages,
                       s.automap_rotate,
                       s.automap_render_textures,
                       s.automap_render_objects_as_sprites,
                       s.render_corpses,
                       s.render_screen_flashes};
  int mode = 0, bit = 1;
  for (const bool is_set : bits) {
    if (is_set) mode |= bit;
    bit *= 2;
  }
  return mode;
}

// Throws std::runtime_error after more tics than any map needs to begin; most need 4.
void CheckPatience(uint32_t tics) {
  if (tics > 1000) throw std::runtime_error("the map did not begin within 1000 tics");
}

int AutomapMode(const std::string& word) {
  constexpr const char* kWords[] = {"NORMAL", "WHOLE", "OBJECTS", "OBJECTS_WITH_SIZE"};
  return static_cast<int>(std::ranges::find(kWords, word) - kWords);
}

}  // namespace

Game::Game(const std::filesystem::path& package, const Scenario& scenario)
    : package_(package), scenario_(scenario) {}

Game::~Game() {
  if (!is_recording_ || !engine_->IsRunning()) return;
  try {  // the engine writes the file only when it stops
    engine_->Command("stop");
    engine_->Tic();
  } catch (const std::exception&) {  // it has failed: there is no demo
  }
}

void Game::Begin(uint32_t seed, const std::filesystem::path& demo) {
  // vizdoom seeds this generator anew for each episode.
  const auto engine_seed = static_cast<uint32_t>(std::mt19937(seed)());
  // The second map of a match would depend on what was played before.
  if (engine_ && engine_->IsRunning() && !engine_->state().game_multiplayer) {
    RestartMap(engine_seed, demo);
  } else {
    StartEngine(engine_seed);
    last_tic_ = engine_->state().map_tic;
    if (!demo.empty()) RestartMap(engine_seed, demo);
  }
  last_tic_ = rewarded_tic_ = engine_->state().map_tic;
  tics_left_ = 0;
  last_map_reward_ = MapReward();
}

std::vector<std::string> Game::Arguments(uint32_t engine_seed) const {
  const ImageSize size = SizeOf(scenario_);
  const auto game_wad =
      scenario_.game_wad.empty() ? package_ / "freedoom2.wad" : scenario_.game_wad;
  std::vector<std::string> all = {"-iwad", game_wad};
  const auto add = [&all](const char* name, const std::string& value) {
    all.push_back(name);
    all.push_back(value);
  };
  if (!scenario_.wad.empty()) add("-file", scenario_.wad);
  add("+map", scenario_.doom_map);
  add("-skill", std::to_string(scenario_.doom_skill));
  add("-width", std::to_string(size.width));
  add("-height", std::to_string(size.height));
  add("+vid_aspect", std::to_string(AspectOf(size)));
  add("+fullscreen", "0");
  add("+use_mouse", "0");
  add("-rngseed", std::to_string(engine_seed));
  if (scenario_.depth_buffer_enabled) add("+viz_depth", "1");
  if (scenario_.labels_buffer_enabled) add("+viz_labels", "1");
  if (scenario_.automap_buffer_enabled) {
    add("+viz_automap", "1");
    add("+viz_automap_mode", std::to_string(AutomapMode(scenario_.automap_mode)));
  }
  add("+viz_render_mode", std::to_string(RenderMode(scenario_)));
  add("+viz_noconsole", "1");
  const int colors = scenario_.planar_colors ? kPlanes : kRgb24;
  add("+viz_screen_format", std::to_string(NumChannels(scenario_) == 1 ? kGray8 : colors));
  add("+viz_window_hidden", "1");
  add("+viz_noxserver", "1");
  for (const char* word : {"-noidle", "-nojoy", "-nosound"}) all.push_back(word);
  add("+viz_nosound", "1");
  all.insert(all.end(), scenario_.game_arguments.begin(), scenario_.game_arguments.end());
  return all;
}

void Game::StartEngine(uint32_t engine_seed) {
  is_recording_ = false;
  engine_.reset();
  engine_.emplace(scenario_.program.empty() ? package_ / "vizdoom" : scenario_.program,
                  Arguments(engine_seed));
  WaitForStart();
  engine_->Update();
  InputState& input = engine_->input();
  input = {};
  for (const int button : scenario_.buttons) input.available[button] = true;
}

void Game::RestartMap(uint32_t engine_seed, const std::filesystem::path& demo) {
  std::string map = "map ";
  if (is_recording_) engine_->Command("stop");
  is_recording_ = !demo.empty();
  if (is_recording_) map = "recordmap \"" + demo.string() + "\" ";
  map += scenario_.doom_map;
  engine_->Command("viz_set_seed " + std::to_string(engine_seed));
  engine_->Command(map);
  std::ranges::fill(engine_->input().buttons, 0.0);
  // The new map has begun when its time is less than that of the last one.
  const GameState& state = engine_->state();
  uint32_t tics = 0;
  do {
    CheckPatience(++tics);
    engine_->Tic();
    if (tics % 4 == 0) engine_->Command(map);
  } while (state.map_end || state.map_tic > last_tic_);
  WaitForStart();
  engine_->Command("viz_override_player 0");
  engine_->Update();
}

void Game::WaitForStart() {
  const auto start = static_cast<uint32_t>(std::max(scenario_.episode_start_time, 1));
  for (uint32_t tics = 0; engine_->state().map_tic < start; ++tics) {
    if (tics > start) CheckPatience(tics - start);
    engine_->Tic();
  }
}

void Game::Start(int tics) {
  tics_left_ = tics;
  has_ended_early_ = false;
}

void Game::Send() {
  if (has_ended_early_) return engine_->StartUpdate();
  last_tic_ = engine_->state().map_tic + 1;
  engine_->StartTic(tics_left_ == 1);
}

void Game::Wait() {
  engine_->Wait();
  --tics_left_;
  if (tics_left_ == 0 || !HasEnded()) return;
  has_ended_early_ = true;
  tics_left_ = 1;
}

double Game::Reward() {
  const GameState& state = engine_->state();
  const double map_reward = MapReward();
  double reward = map_reward - last_map_reward_;
  last_map_reward_ = map_reward;
  if (last_tic_ > rewarded_tic_) {
    reward += static_cast<int>(last_tic_ - rewarded_tic_) * scenario_.living_reward;
  }
  rewarded_tic_ = last_tic_;
  if (state.player_dead) {
    reward -= scenario_.death_penalty;
  } else if (MapHasEnded()) {
    reward += scenario_.map_exit_reward;
  }
  return reward;
}

bool Game::MapHasEnded() const {
  const GameState& state = engine_->state();
  return (!state.game_multiplayer && state.player_dead) || state.map_end;
}

bool Game::TimeIsOver() const {
  const GameState& state = engine_->state();
  const auto start = static_cast<uint32_t>(std::max(scenario_.episode_start_time, 1));
  const auto timeout = static_cast<uint32_t>(scenario_.episode_timeout);
  return (timeout > 0 && timeout + start <= state.map_tic) ||
         (state.map_tic_limit > 0 && state.map_tic_limit <= state.map_tic);
}

double Game::Value(int variable) const {
  const GameState& s = engine_->state();
  switch (variable) {
    case kKillCount:
      return s.map_kill_count;
    case kItemCount:
      return s.map_item_count;
    case kSecretCount:
      return s.map_secret_count;
    case kFragCount:
      return s.player_frag_count;
    case kDeathCount:
      return s.player_death_count;
    case kHitCount:
      return s.player_hit_count;
    case kHitsTaken:
      return s.player_hits_taken;
    case kDamageCount:
      return s.player_damage_count;
    case kDamageTaken:
      return s.player_damage_taken;
    case kHealth:
      return s.player_health;
    case kArmor:
      return s.player_armor;
    case kDead:
      return s.player_dead;
    case kOnGround:
      return s.player_on_ground;
    case kAttackReady:
      return s.player_attack_ready;
    case kAltattackReady:
      return s.player_altattack_ready;
    case kSelectedWeapon:
      return s.player_selected_weapon;
    case kSelectedWeaponAmmo:
      return s.player_selected_weapon_ammo;
    case kPlayerNumber:
      return s.player_number;
    case kPlayerCount:
      return s.player_count;
  }
  if (variable >= kUser1) return s.map_user_variables[variable - kUser1];
  if (variable >= kPlayer1FragCount) return s.players_frag_count[variable - kPlayer1FragCount];
  if (variable >= kCameraPositionX) return s.camera[variable - kCameraPositionX];
  if (variable >= kPositionX) return s.player_movement[variable - kPositionX];
  if (variable >= kWeapon0) return s.player_weapon[variable - kWeapon0];
  return s.player_ammo[variable - kAmmo0];
}

}  // namespace parallel_pool::vizdoom
