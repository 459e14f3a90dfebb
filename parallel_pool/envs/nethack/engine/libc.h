// The functions that NetHack imports from the C library. Those that reach outside of the game (its
// memory, files, clock, signals, the end of the process) are replaced by functions over the Game
// that runs on this thread. All others are the C library's.
#pragma once

#include <string>

namespace parallel_pool::nethack {

// The address that NetHack gets for an import; nullptr for a weak one that it can do without.
// Throws std::invalid_argument for a function that is not offered here: nothing is passed on to the
// system unless this file names it.
const void* FindImport(const std::string& name, bool is_weak);

}  // namespace parallel_pool::nethack
