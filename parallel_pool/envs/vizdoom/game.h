// Single-player games of one scenario on one engine: episodes, actions, rewards and ends, with the
// rules of vizdoom's DoomGame and Gymnasium wrapper.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "parallel_pool/envs/vizdoom/engine/engine.h"
#include "parallel_pool/envs/vizdoom/picture.h"
#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

class Game {
 public:
  // `package` is the folder of the package vizdoom. The engine starts with the first episode.
  Game(const std::filesystem::path& package, const Scenario& scenario);
  ~Game();

  // Begins an episode whose random numbers follow from `seed`. An engine that has failed is
  // replaced. WaitForBegin must follow; in between, the engines of other games can be started.
  // Both throw std::runtime_error if the engine fails. If `demo` is not empty, the engine records
  // the episode into this file, which is complete when the next episode begins or the Game ends.
  void Begin(uint32_t seed, const std::filesystem::path& demo = {});
  void WaitForBegin();

  // Sets the state of a button: 0 or 1, or the number of a delta button.
  void Press(int button, double value) { engine_->input().buttons[button] = value; }

  // Plays `tics` tics, or less if the episode ends. In between, the engine works by itself:
  //   game.Start(4);
  //   while (game.IsPlaying()) { game.Send(); game.Wait(); }
  //   reward = game.Reward();
  // Send and Wait throw like Begin.
  void Start(int tics);
  bool IsPlaying() const { return tics_left_ > 0; }
  void Send();
  void Wait();
  // The reward since the last call, or since the episode began.
  double Reward();

  // The episode has ended by a death or the end of the map, or by its time limit.
  bool HasEnded() const { return MapHasEnded() || TimeIsOver(); }
  bool MapHasEnded() const;
  bool TimeIsOver() const;

  bool PlayerIsDead() const { return engine_->state().player_dead; }
  double Value(int variable) const;
  // Draws the last pictures (picture.h); black if no engine has started.
  void Draw(View<uint8_t> rgb) const;
  const Engine& engine() const { return *engine_; }

 private:
  void PrepareEngine();
  void RestartMap();
  // Plays tics until the first observation is due.
  void WaitForStart();
  double MapReward() const { return engine_->state().map_reward / 65536.0; }

  const std::filesystem::path package_;
  const Scenario scenario_;
  const std::array<Gain, 10> gains_;
  std::optional<Engine> engine_;
  uint32_t engine_seed_ = 0;
  std::filesystem::path demo_;
  bool is_new_ = false;           // the engine has begun no episode
  uint32_t last_tic_ = 0;         // of the map; where the last tic should have led
  uint32_t rewarded_tic_ = 0;     // of the map, at the last call of Reward
  int tics_left_ = 0;             // of Start
  bool has_ended_early_ = false;  // only an update is left
  bool is_recording_ = false;
  double last_map_reward_ = 0.0;          // of the scenario's script
  std::array<double, 10> last_values_{};  // of the variables of gains_
};

}  // namespace parallel_pool::vizdoom
