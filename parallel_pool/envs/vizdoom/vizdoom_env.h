// The official single-player tasks of ViZDoom: `vizdoom.gymnasium_wrapper` of vizdoom 1.3.2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/vizdoom/game.h"
#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

class VizdoomEnv {
 public:
  struct Config : Scenario {
    std::string config_file;  // in the package's folder scenarios
    std::string engine_path;
    int frame_skip = 1;  // tics
    int max_buttons_pressed = 1;
    bool treat_episode_timeout_as_truncation = true;

    // These follow from the options.
    std::filesystem::path package;
    std::vector<int> binary, deltas;  // the buttons by kind, places in ButtonNames()
  };
  struct Action {
    View<const int32_t> choice;  // with max_buttons_pressed > 0
    View<const int8_t> pressed;  // 0 or 1 for each of Config::binary
    View<const float> deltas;    // a number for each of Config::deltas
  };
  struct State {
    View<uint8_t> screen, depth, labels, automap;  // rows, columns, channels
    View<float> variables;
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static int RenderFps(const Config& config) { return 35 / config.frame_skip; }

  VizdoomEnv(const Config& config, Rng& rng);

  void Reset();
  // The engines of a chunk work at the same time.
  static void StepChunk(Chunk<VizdoomEnv>& chunk);
  static int ChunkSize(const Config&) { return 4; }
  // After the end of an episode, all arrays are zeros, as vizdoom shows it.
  void Observe(const State& state) const;

  Game& game() { return game_; }

 private:
  void Press(const Action& action);
  Outcome Result();

  const Config config_;
  Rng& rng_;
  Game game_;
  // The meaning of each Discrete action: bit i is the state of button binary[i]. Empty: the action
  // has a number for each button.
  std::vector<uint32_t> choices_;
};

}  // namespace parallel_pool::vizdoom
