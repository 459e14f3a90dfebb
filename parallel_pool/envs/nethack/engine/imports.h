// The functions that NetHack imports, by what they do. A game that runs on this thread
// (Game::Current) stands behind all of them.
#pragma once

#include <string>
#include <unordered_map>

#include "parallel_pool/envs/nethack/engine/game.h"

namespace parallel_pool::nethack {

// Addresses by name.
using Imports = std::unordered_map<std::string, const void*>;

Imports MemoryImports();
Imports FileImports();    // the calls of the system
Imports StreamImports();  // stdio
Imports SystemImports();  // clock, user, signals, the end of the process
Imports StringImports();  // std::string

template <class Result, class... Values>
const void* Address(Result (*function)(Values...)) {
  return reinterpret_cast<const void*>(function);
}

template <class Result, class... Values>
const void* Address(Result (*function)(Values..., ...)) {
  return reinterpret_cast<const void*>(function);
}

// For functions that do nothing here.
inline int Zero() {
  return 0;
}

inline int MinusOne() {
  return -1;
}

inline void Nothing() {}

inline Arena& GameArena() {
  return Game::Current().arena();
}

inline Files& GameFiles() {
  return Game::Current().files();
}

}  // namespace parallel_pool::nethack
