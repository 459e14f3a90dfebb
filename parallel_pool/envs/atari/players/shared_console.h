// One Atari 2600 with a cartridge that several players play, frame by frame. It is the emulator of
// ALE 0.12.1 with the resets and random numbers of multi-agent-ale-py 0.1.12, which differ from
// ALE's: see README.md.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/atari/players/controls.h"
#include "parallel_pool/envs/atari/players/rules.h"
#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

struct SharedConsoleOptions {
  int players = 2;
  int mode = 0;                            // as multi-agent-ale-py numbers them
  double repeat_action_probability = 0.0;  // that a player's action of the last frame is repeated
};

// The file of the game with this ROM. Throws std::invalid_argument if it is missing or damaged.
std::string SharedRomPath(const GameRules& rules);

// One thread at a time.
class SharedConsole {
 public:
  // Turns the console on. Its RAM at power-on, its timer and repeated actions follow from `seed`.
  SharedConsole(const GameRules& rules, const SharedConsoleOptions& options, uint32_t seed);
  ~SharedConsole();
  SharedConsole(const SharedConsole&) = delete;
  SharedConsole& operator=(const SharedConsole&) = delete;

  // Begins an episode. Earlier ones leave traces in the RAM.
  void Reset() { Reset(options_.mode); }
  // Emulates one frame with the action of each player, in ALE's numbers. Once the game is over, it
  // emulates nothing.
  void Act(std::span<const int> actions);

  const Tally& tally() const { return tally_; }
  const uint8_t* ram() const;  // 128 bytes
  Palette palette() const;
  int screen_height() const;
  // The last frame: screen_height() rows of 160 palette indices. Valid until the next frame.
  const uint8_t* screen() const;
  // The same, but valid and unchanged until the second frame from now.
  const uint8_t* HoldScreen();

  // The complete state. Load accepts that of a console of the same game and options; false if the
  // bytes are no such state.
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  struct Emulator;

  void Reset(int mode);
  void ChooseMode(int mode);
  void ChooseInMenu(int mode);
  void PressSelect();
  void PressReset();
  // `frames` frames with these actions of the first players.
  void Play(std::span<const int> actions, int frames = 1);
  void Play(std::initializer_list<int> actions, int frames = 1) {
    Play(std::span(actions.begin(), actions.end()), frames);
  }
  void ActAlone(int action);
  // A number from 0 to 1 of the emulator's generator.
  double Draw();

  const GameRules& rules_;
  const SharedConsoleOptions options_;
  const std::unique_ptr<Emulator> emulator_;
  Controls controls_;
  std::array<int, kMostPlayers> actions_{};  // of the last Act
  Tally tally_;
  int mode_ = 0;
  std::vector<uint8_t> held_;
};

}  // namespace parallel_pool::atari
