// The cartridges that are installed next to this library, and the actions, modes and difficulties
// of each.
#pragma once

#include <string>
#include <vector>

namespace parallel_pool::atari {

inline constexpr int kNoop = 0, kFire = 1;  // ALE's numbers of two of its 18 actions

struct Rom {
  std::string path;
  std::vector<int> minimal_actions;  // actions with an effect in this game, in ALE's numbers
  std::vector<int> legal_actions;    // all 18, unless the game forbids some
  std::vector<int> modes;            // the first is the default
  std::vector<int> difficulties;
};

// The game with the file roms/<name>.bin in the folder of this library. Any thread; the result
// lives until the process ends. Throws std::invalid_argument if the file is missing or is not the
// one that ALE supports (by MD5).
const Rom& FindRom(const std::string& name);

// The path of roms/<name>.bin, for a game of which ALE has no rules. Throws std::invalid_argument
// if the file is missing or has another MD5.
std::string FindRomFile(const std::string& name, const std::string& md5);

}  // namespace parallel_pool::atari
