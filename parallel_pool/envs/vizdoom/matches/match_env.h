// Deathmatches: several players, each with an engine of its own, in one env.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/vizdoom/matches/match.h"
#include "parallel_pool/envs/vizdoom/scenario/scenario.h"
#include "parallel_pool/envs/vizdoom/screen_stack.h"

namespace parallel_pool::vizdoom {

class MatchEnv {
 public:
  struct Config : Scenario {
    std::string config_file;  // in the package's folder scenarios
    std::string engine_path;
    int max_num_players = 2, num_bots = 0;
    int frame_skip = 4;  // tics
    int img_height = 84, img_width = 84;
    int stack_num = 4;

    // These follow from the options.
    std::filesystem::path package;
    std::vector<int> binary, deltas;  // the buttons by kind, places in ButtonNames()
  };
  // All arrays are per player.
  struct Action {
    View<const int8_t> pressed;  // 0 or 1 for each of Config::binary
    View<const float> deltas;    // a number for each of Config::deltas
  };
  struct State {
    View<uint8_t> obs;  // frames, the oldest first; of each, channels, rows, columns
    View<float> reward;
    View<int32_t> frags, deaths, health, armor, weapon, ammo, hits, damage;
    View<bool> dead;
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static int RenderFps(const Config& config) { return kTicsPerSecond / config.frame_skip; }

  MatchEnv(const Config& config, Rng& rng);

  // The engines of a chunk start and work at the same time.
  static void ResetChunk(Chunk<MatchEnv>& chunk);
  static void StepChunk(Chunk<MatchEnv>& chunk);
  static int ChunkSize(const Config& config);
  void Observe(const State& state) const;

  // The screens of all players, side by side; black after an engine has failed.
  static ImageSize RenderSize(const Config& config);
  void Render(View<uint8_t> rgb) const;

 private:
  // The counts of the engine for a player, since the episode began.
  struct Counts {
    int32_t frags, deaths, hits, damage;
    Counts operator-(const Counts& other) const;
  };
  struct Player {
    Counts first = {}, now = {};  // the engine's counts at the episode's begin; since then
    float reward = 0;
    ScreenStack screens;
  };

  void Press(const Action& action);
  void BeginEpisode();
  Outcome EndStep();
  Counts CountsOf(int player) const;

  const Config config_;
  Rng& rng_;
  Match match_;
  std::vector<Player> players_;
};

}  // namespace parallel_pool::vizdoom
