// Atari games that several players play on one screen, as PettingZoo 1.27 has them, with the
// wrappers that are usual for them as options.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/frame_stack.h"
#include "parallel_pool/envs/atari/players/games.h"
#include "parallel_pool/envs/atari/players/interleave.h"
#include "parallel_pool/envs/atari/players/shared_console.h"
#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

// All that does not depend on the options of one game.
class PlayersCore {
 public:
  struct Action {
    View<const int32_t> index;  // of each player, into the action set
  };
  // Rows are of the players who are in the game, and of those who have left it in this step.
  struct State {
    View<uint8_t> obs;      // row, column, channel; or byte of the RAM
    View<int32_t> agent;    // the player's number
    View<int32_t> lives;    // lives left
    View<bool> terminated;  // whether the player is out, or the game is over
    View<double> reward;
    View<uint8_t> ram;  // the console's RAM
  };

  static EnvSpec<Action, State> SpecOf(const PlayersConfig& config, Match match);

  PlayersCore(const PlayersConfig& config, Match match);

  // From here on the env equals a new one with this seed.
  void Seed(uint64_t seed);
  void Reset();
  Outcome Step(const Action& action);
  void Observe(const State& state) const;
  auto Saved() { return std::tie(seed_, console_, stack_, is_shown_, is_out_, reward_); }

  void Render(View<uint8_t> rgb) const;

 protected:
  // Players who have a row.
  int CountRows() const;

 private:
  // The console, which is made when its seed is known, and what makes frames of its screens: pixel
  // by pixel, with the channels of a pixel together.
  class Slot {
   public:
    Slot(const PlayersConfig& config, Match match);

    void TurnOn(uint32_t seed);
    void TurnOff() { console_.reset(); }
    bool on() const { return console_ != nullptr; }
    // Only while on().
    SharedConsole* operator->() const { return console_.get(); }
    // The frame of two screens, which may be the same; or the RAM.
    void MakeFrame(const uint8_t* newer, const uint8_t* older, uint8_t* frame);

    void Save(Writer& writer) const;
    bool Load(Reader& reader);

   private:
    const PlayersConfig& config_;
    const GameRules& rules_;
    const SharedConsoleOptions options_;
    std::unique_ptr<SharedConsole> console_;
    std::unique_ptr<FrameMaker> frame_maker_;
    std::unique_ptr<Colors> colors_;  // if the frames are screens in color
    std::vector<uint8_t> planes_;     // of other frames in color: scratch
  };

  // Writes an observation: the frames of the stack, oldest first, and what indicates the player.
  void Write(int player, const uint8_t* frames, uint8_t* out) const;

  const PlayersConfig config_;
  const std::vector<int> actions_;  // the action set, in ALE's numbers
  const int players_;
  uint64_t seed_ = 0;
  Slot console_;
  FrameStack stack_;
  mutable std::vector<uint8_t> frames_;  // of the stack, oldest first: scratch of Observe
  std::array<bool, kMostPlayers> is_shown_{}, is_out_{};
  std::array<double, kMostPlayers> reward_{};
};

ImageSize PlayersScreenSize(const std::string& rom);

// The env of the games with this Config (games.h).
template <class Game>
class PlayersEnv : public PlayersCore {
 public:
  using Config = Game;

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : Game::Describe()) options.push_back(option);
    return options;
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return SpecOf(config, config.match());
  }

  PlayersEnv(const Config& config, Rng&) : PlayersCore(config, config.match()) {}

  int NumPlayers() const
    requires Game::kPlayersLeave
  {
    return CountRows();
  }

  static bool IsDeterministic(const Config& config) {
    return config.repeat_action_probability == 0 && !RulesOf(config.rom).is_random;
  }
  static ImageSize RenderSize(const Config& config) { return PlayersScreenSize(config.rom); }
  static int RenderFps(const Config&) { return 60; }
};

}  // namespace parallel_pool::atari
