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
inline constexpr int kSoundBytes = 512;  // samples of one frame, at 31.4 kHz

struct MachineOptions {
  int mode = -1, difficulty = -1;          // the game's; -1: its default
  double repeat_action_probability = 0.0;  // probability that a frame repeats the last action
  int32_t seed = 0;                        // seed of these repetitions
  bool sound = false;                      // whether there is sound()
};

// A console with a cartridge. Call Reset before the first Act. One thread at a time.
class Machine {
 public:
  Machine(const Rom& rom, const MachineOptions& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Begins an episode: the console's own reset, then as many frames as the game needs to start.
  // Earlier episodes leave traces in the console's RAM and timer, as in the real one.
  void Reset();
  // Emulates one frame and returns its reward. Does nothing once the game is over. A paddle turns
  // at `strength`, 0 to 1, times its full speed.
  int Act(int action, float strength = 1.0f);

  bool game_over() const;
  int lives() const;
  const uint8_t* ram() const;  // kRamBytes
  Palette palette() const;
  // kSoundBytes samples of the last Act; zeros before the first.
  const uint8_t* sound() const;

  int screen_height() const;
  // The last frame's pixels: screen_height() rows of 160 palette indices. Valid until the next
  // Act or Reset.
  const uint8_t* screen() const;
  // The same, but valid and unchanged until the second Act from now.
  const uint8_t* HoldScreen();

  // The complete state: the console with its cartridge, both buffers of screens, ALE's data of the
  // game and its random numbers. Load accepts the state of a machine of the same game and options,
  // whatever this machine's own state; false if the bytes are no such state.
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  struct Emulator;
  const std::unique_ptr<Emulator> emulator_;
  void SetUp(const MachineOptions& options);

  bool at_start_ = true;  // the first episode has begun, but no env has asked for it
  std::vector<uint8_t> held_;
};

// The height of the game's screens, in rows. The first call for a game starts a machine to find it
// out. Any thread.
int ScreenHeight(const Rom& rom);

}  // namespace parallel_pool::atari
