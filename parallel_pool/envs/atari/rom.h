// The cartridges that travel beside this library, and what each of them offers.
#pragma once

#include <string>
#include <vector>

namespace parallel_pool::atari {

inline constexpr int kNoop = 0, kFire = 1;  // ALE's numbers of two actions; the others up to 17

struct Rom {
  std::string path;
  std::vector<int> minimal_actions;  // those that do something in this game, in ALE's numbers
  std::vector<int> legal_actions;    // all 18, unless the game forbids some
  std::vector<int> modes;            // the first is the default
  std::vector<int> difficulties;
};

// The game whose file is roms/<name>.bin in the folder of this library. Any thread; the result
// lives for ever. std::invalid_argument if the file is missing or is not what ALE was made for.
const Rom& FindRom(const std::string& name);

}  // namespace parallel_pool::atari
