// The pixels of a scanline, many at a time.
#pragma once

#include <cstdint>

namespace parallel_pool::atari {

inline constexpr int kPixels = 160;  // pixels of a scanline

// A byte for each pixel, with padding, so that 32 bytes can be read from any pixel on.
struct Row { uint8_t pixels[kPixels + 32]; };

// The six objects along a scanline, as rows, and the colors.
struct Objects {
  const uint8_t *player0, *player1;    // visible where a bit of their graphics is set
  const uint8_t *missile0, *missile1;  // visible where not 0
  const uint8_t* ball;                 // visible where not 0
  const uint8_t* playfield;            // visible where 0; 255 elsewhere
  uint8_t graphics0, graphics1;        // graphics of the players
  uint8_t background, front, color0, color1;
  bool priority;  // the playfield is in front of the players
  bool score;     // the halves of the playfield have the players' colors
};

extern const Row kNoPlayfield;

// 32 pixels for the 8 bits of a playfield register.
struct PlayfieldPixels { uint8_t low_first[256][32], high_first[256][32]; };
extern const PlayfieldPixels kPlayfieldPixels;

// Draws n pixels from x on. Returns the collisions among them: one bit for each pair of objects, in
// ALE's order.
extern uint16_t (*const DrawPixels)(const Objects& objects, uint32_t x, uint32_t n, uint8_t* to);

extern void (*const CopyScanline)(const uint8_t* from, uint8_t* to);

}  // namespace parallel_pool::atari
