// Parts of SharedConsole; only its own files include this.
#pragma once

#include <string>

#include "ale/emucore/Console.hxx"
#include "ale/emucore/OSystem.hxx"
#include "ale/emucore/Settings.hxx"
#include "ale/emucore/System.hxx"
#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/players/shared_console.h"

namespace parallel_pool::atari {

struct SharedConsole::Emulator {
  Emulator(const std::string& rom_path, uint32_t seed);

  ale::stella::System& system() { return os.console().system(); }
  void EmulateFrame() { tia->update(); }

  ale::stella::OSystem os;
  ale::stella::Settings settings;
  ale::stella::TIA* tia;  // the video chip; owned by `os`
  const uint8_t* ram;     // the memory; owned by `os`
  bool has_paddles;
};

}  // namespace parallel_pool::atari
