#include "parallel_pool/envs/vizdoom/game.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "parallel_pool/envs/vizdoom/arguments.h"

namespace parallel_pool::vizdoom {
namespace {

// Throws std::runtime_error after more tics than any map needs to begin; most need 4.
void CheckPatience(uint32_t tics) {
  if (tics > 1000) throw std::runtime_error("the map did not begin within 1000 tics");
}

}  // namespace

Game::Game(const std::filesystem::path& package, const Scenario& scenario)
    : package_(package), scenario_(scenario), gains_(Gains(scenario)) {}

Game::~Game() {
  if (!is_recording_ || !engine_ || !engine_->IsRunning()) return;
  try {  // the engine writes the file only when it stops
    engine_->Command("stop");
    engine_->Tic();
  } catch (const std::exception&) {  // it has failed: there is no demo
  }
}

void Game::Begin(uint32_t seed, const std::filesystem::path& demo) {
  // vizdoom seeds this generator again for each episode.
  engine_seed_ = static_cast<uint32_t>(std::mt19937(seed)());
  demo_ = demo;
  // The second map of a match would depend on what was played before.
  is_new_ = !engine_ || !engine_->IsRunning() || engine_->state().game_multiplayer;
  if (!is_new_) return;
  is_recording_ = false;
  engine_.reset();
  engine_.emplace(scenario_.program.empty() ? package_ / "vizdoom" : scenario_.program,
                  Arguments(scenario_, engine_seed_));
}

void Game::WaitForBegin() {
  if (is_new_) {
    PrepareEngine();
    last_tic_ = engine_->state().map_tic;
  }
  if (!is_new_ || !demo_.empty()) RestartMap();
  last_tic_ = rewarded_tic_ = engine_->state().map_tic;
  tics_left_ = 0;
  last_map_reward_ = MapReward();
  for (size_t i = 0; i < gains_.size(); ++i) last_values_[i] = Value(gains_[i].variable);
}

void Game::PrepareEngine() {
  engine_->WaitUntilReady();
  WaitForStart();
  engine_->Update();
  InputState& input = engine_->input();
  input = {};
  for (const int button : scenario_.buttons) input.available[button] = true;
}

void Game::RestartMap() {
  std::string map = "map ";
  if (is_recording_) engine_->Command("stop");
  is_recording_ = !demo_.empty();
  if (is_recording_) map = "recordmap \"" + demo_.string() + "\" ";
  map += scenario_.doom_map;
  engine_->Command("viz_set_seed " + std::to_string(engine_seed_));
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
  for (size_t i = 0; i < gains_.size(); ++i) {
    const double value = Value(gains_[i].variable);
    if (value > last_values_[i]) reward += (value - last_values_[i]) * gains_[i].reward;
    last_values_[i] = value;
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

void Game::Draw(View<uint8_t> rgb) const {
  if (engine_) return DrawPicture(*engine_, scenario_, rgb);
  std::ranges::fill(rgb, uint8_t{0});
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
