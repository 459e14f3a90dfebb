// One Atari 2600 with a cartridge in it: the Arcade Learning Environment, frame by frame.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/atari/rom.h"
#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

inline constexpr int kRamBytes = 128;
inline constexpr int kSoundBytes = 512;  // of one frame: samples at 31.4 kHz

struct MachineOptions {
  int mode = -1, difficulty = -1;          // of the game; -1: its default
  double repeat_action_probability = 0.0;  // that a frame repeats the action of the one before
  int32_t seed = 0;                        // of these repetitions
  bool sound = false;                      // whether there is sound()
};

// Not yet in an episode after construction: Reset first. One thread at a time.
class Machine {
 public:
  Machine(const Rom& rom, const MachineOptions& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // The console's own reset, then as many frames as the game takes to start. What came before
  // lives on in the console's RAM and timer, as it does in the real one.
  void Reset();
  // Emulates one frame and returns its reward. Does nothing once the game is over. A paddle turns
  // at `strength` of its full speed.
  int Act(int action, float strength = 1.0f);

  bool game_over() const;
  int lives() const;
  const uint8_t* ram() const;  // kRamBytes
  Palette palette() const;
  // kSoundBytes: of the last Act; zeros before.
  const uint8_t* sound() const;

  int screen_height() const;
  // The last frame's pixels: screen_height() rows of 160 palette indices. Valid until the next
  // Act or Reset.
  const uint8_t* screen() const;
  // The same, but valid (and unchanged) until the second Act from now.
  const uint8_t* HoldScreen();

  // All that what follows depends on: the console with its cartridge, both buffers of screens, the
  // game as ALE sees it and ALE's random numbers. Load takes what a machine of the same game and
  // options saved, whatever this one went through; false if the bytes are not that.
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  struct Emulator;
  const std::unique_ptr<Emulator> emulator_;
  void SetUp(const MachineOptions& options);

  bool at_start_ = true;  // the first episode has begun, but nobody has asked for it
  std::vector<uint8_t> held_;
};

// Of the game's screens, in rows. The first call for a game starts a machine to ask. Any thread.
int ScreenHeight(const Rom& rom);

}  // namespace parallel_pool::atari
