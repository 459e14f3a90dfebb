// The arrays of an observation, with nle's and MiniHack's names, shapes and bounds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/nethack/engine/game.h"

namespace parallel_pool::nethack {

struct Observation {
  View<int16_t> glyphs;                   // 21 rows of 79 places
  View<uint8_t> chars, colors, specials;  // the same
  View<int64_t> blstats;                  // 27 numbers of the bottom lines
  View<uint8_t> message;                  // 256 characters
  View<int16_t> inv_glyphs;               // of 55 things
  View<uint8_t> inv_strs, inv_letters, inv_oclasses;
  View<uint8_t> screen_descriptions;  // 80 characters for each place
  View<uint8_t> tty_chars;            // 24 rows of 80 characters
  View<int8_t> tty_colors;
  View<uint8_t> tty_cursor;  // row, column
  View<int32_t> program_state, internal, misc;
  // The places around the agent, or, with tty_, around the cursor.
  View<int16_t> glyphs_crop;
  View<uint8_t> chars_crop, colors_crop, specials_crop, tty_chars_crop;
  View<int8_t> tty_colors_crop;
  View<uint8_t> screen_descriptions_crop;
};

// The part of the screen around the agent that arrays with _crop show.
struct Crop {
  int32_t obs_crop_h = 9, obs_crop_w = 9;  // rows, columns; odd
  int32_t obs_crop_pad = 0;                // beyond the dungeon
};

// All names; the first 17 are nle's.
std::span<const std::string> ObservationNames();
// The 14 that nle shows by default, and those of NetHackChallenge: `misc`, and no
// `screen_descriptions`.
Lines NleKeys();
Lines ChallengeKeys();
// The 10 that MiniHack shows by default.
Lines MinihackKeys();

// The specs of the arrays with these places in ObservationNames().
std::vector<ArrayOf<Observation>> SpecsOf(const std::vector<int>& shown, const Crop& crop);
// The arrays that they need of NetHack.
Asked AskedBy(const std::vector<int>& shown);

// Writes the arrays that have a View.
void Write(const Game& game, const Crop& crop, const Observation& out);

}  // namespace parallel_pool::nethack
