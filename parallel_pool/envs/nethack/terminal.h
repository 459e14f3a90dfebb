// Pictures of the terminal that NetHack is played in: 24 rows of 80 characters in 16 colors.
#pragma once

#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/nethack/engine/game.h"

namespace parallel_pool::nethack {

ImageSize TerminalSize();
void DrawTerminal(const Arrays& arrays, View<uint8_t> rgb);
std::string TerminalText(const Arrays& arrays);

}  // namespace parallel_pool::nethack
