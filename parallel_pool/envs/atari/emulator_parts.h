// The parts that are the same in consoles of one player (Machine) and of several (SharedConsole).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ale/common/ColourPalette.hpp"
#include "ale/emucore/OSystem.hxx"
#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/ale_members.h"
#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

// Turns ALE's log off. The level is a global variable: it is written once, before any emulator
// reads it.
void SilenceAle();

// Throws if the file cannot be read: ALE would end the process.
void CheckReadable(const std::string& path);

Palette PaletteOf(ale::ColourPalette& colors);

// The last frame, which stays unchanged until the second frame from now; `held` has its size.
const uint8_t* HoldScreen(ale::stella::TIA& tia, std::vector<uint8_t>& held);

// State of the chips that the emulator's own state does not have: the screens and the drawn part of
// the last one, the video chip's masks, the sound, and what some cartridges do not save.
bool PassChips(const Out& pass, ale::stella::OSystem& os);
bool PassChips(const In& pass, ale::stella::OSystem& os);

}  // namespace parallel_pool::atari
