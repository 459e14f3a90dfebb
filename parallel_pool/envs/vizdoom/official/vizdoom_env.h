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
    std::string scenario_config_file;  // in the package's folder scenarios, or the user's
    std::string engine_path;
    int frame_skip = 1;  // tics
    int max_buttons_pressed = 1;
    bool treat_episode_timeout_as_truncation = true;
    bool use_multi_binary_action_space = true;

    // These follow from the options.
    std::filesystem::path package;
    std::vector<int> binary, deltas;  // the buttons by kind, places in ButtonNames()
  };
  struct Action {
    View<const int32_t> choice;  // with max_buttons_pressed > 0
    View<const int8_t> pressed;  // 0 or 1 for each of Config::binary
    View<const int64_t> states;  // the same, without use_multi_binary_action_space
    View<const float> deltas;    // a number for each of Config::deltas
  };
  struct State {
    View<uint8_t> screen, depth, labels, automap;  // rows, columns, channels
    View<int16_t> audio;                           // samples, 2 channels
    View<uint8_t> notifications;                   // a text
    View<float> variables;
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);
  static int RenderFps(const Config& config) { return kTicsPerSecond / config.frame_skip; }

  VizdoomEnv(const Config& config, Rng& rng);

  // The engines of a chunk start and work at the same time.
  static void ResetChunk(Chunk<VizdoomEnv>& chunk);
  static void StepChunk(Chunk<VizdoomEnv>& chunk);
  static int ChunkSize(const Config&) { return 4; }
  // After the end of an episode, all arrays are zeros, as vizdoom shows it.
  void Observe(const State& state) const;

  static ImageSize RenderSize(const Config& config) { return PictureSize(config); }
  // The last pictures of the episode also after its end.
  void Render(View<uint8_t> rgb) const { game_.Draw(rgb); }

  Game& game() { return game_; }

 private:
  void Press(const Action& action);
  bool IsPressed(const Action& action, size_t button) const;  // a place in Config::binary
  Outcome Result();

  const Config config_;
  Rng& rng_;
  Game game_;
  // The meaning of each Discrete action: bit i is the state of button binary[i]. Empty: the action
  // has a number for each button.
  std::vector<uint32_t> choices_;
};

}  // namespace parallel_pool::vizdoom
