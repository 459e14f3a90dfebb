// Games of several players: an engine for each player, which play each tic together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/envs/vizdoom/engine/engine.h"
#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

// A UDP port that no program of this machine uses now.
int FreePort();

// The engine of player 0 is the host of the game; the others join it over the loopback device. If
// an engine fails, all of them are killed, because each waits for all others in each tic. Not for
// use by several threads at the same time.
class Match {
 public:
  // `package` is the folder of the package vizdoom. The engines start with the first episode.
  // `find_port` returns the UDP port of a new game; if the game cannot start, it is called again.
  Match(const std::filesystem::path& package, const Scenario& scenario, int num_players,
        int num_bots, std::function<int()> find_port = FreePort);

  // Begins an episode, as Game does; new engines start if one has ended. The spawn points follow
  // from `seed`. Both throw std::runtime_error, which says whose engine has failed.
  void Begin(uint32_t seed);
  void WaitForBegin();

  // Sets the state of a player's button: 0 or 1, or the number of a delta button.
  void Press(int player, int button, double value) {
    engines_[player]->input().buttons[button] = value;
  }

  // Begins a tic of all engines, with an Update in it if `updates`. Wait must follow; in between,
  // the engines work by themselves. Both throw like Begin.
  void StartTic(bool updates);
  void Wait();

  // The map has ended.
  bool HasEnded() const;
  // An episode has begun, and no engine has failed since.
  bool IsRunning() const { return !engines_.empty(); }
  int num_players() const { return num_players_; }
  Engine& engine(int player) const { return *engines_[player]; }
  const GameState& state(int player) const { return engines_[player]->state(); }

 private:
  void StartEngines();
  std::vector<std::string> ArgumentsOf(int player, int port) const;
  void PrepareEngines();
  void RestartMap();
  // Plays tics until all players are there and the first observation is due.
  void WaitForStart();
  // Throws unless all engines are at the same tic.
  void CheckTics();
  // Plays one tic in all engines, and counts it. Throws if there were too many.
  void TryTic(int& tics);
  // Waits until `is_done` was true for each engine.
  void WaitForAll(double limit, bool (Engine::*is_done)(double seconds));
  // Runs `body` for each player. An exception kills all engines and gets the player's number.
  void ForEach(const std::function<void(int player)>& body);

  const std::filesystem::path package_;
  const Scenario scenario_;
  const int num_players_, num_bots_;
  std::vector<std::unique_ptr<Engine>> engines_;  // of each player; empty: none runs
  const std::function<int()> find_port_;
  uint32_t engine_seed_ = 0;
  bool is_new_ = false;  // the engines have begun no episode
};

}  // namespace parallel_pool::vizdoom
