// Common parts of the video chip: when to draw, and the masks of the objects.
#pragma once

#include <cstdint>

#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/emulator/pixels.h"

namespace ale::stella {

inline constexpr int kLine = 228;  // clocks of a scanline: 3 for each cycle of the processor
inline constexpr int kBlank = 68;  // clocks before the first pixel of a scanline
inline constexpr int kComb = 8;    // pixels that are black after some HMOVEs

// The mask of a player. `hidden`: 1 if its first copy is not visible.
inline const uint8_t* TIA::player(int position, uint8_t number_size, int hidden) {
  return &ourPlayerMaskTable[position & 3][hidden][number_size & 7]
                            [parallel_pool::atari::kPixels - (position & 0xfc)];
}

// The mask of a missile. `widen`: 1 for a width of at least two pixels.
inline const uint8_t* TIA::missile(int position, uint8_t number_size, int widen) {
  return &ourMissleMaskTable[position & 3][number_size & 7][(number_size & 0x30) >> 4 | widen]
                            [parallel_pool::atari::kPixels - (position & 0xfc)];
}

inline const uint8_t* TIA::ball() const {
  return &ourBallMaskTable[myPOSBL & 3][(myCTRLPF & 0x30) >> 4]
                          [parallel_pool::atari::kPixels - (myPOSBL & 0xfc)];
}

inline void TIA::placePlayers() {
  myCurrentP0Mask = player(myPOSP0, myNUSIZ0, 0);
  myCurrentP1Mask = player(myPOSP1, myNUSIZ1, 0);
}

inline void TIA::enable(uint8_t bit, bool on) {
  myEnabledObjects = on ? myEnabledObjects | bit : myEnabledObjects & ~bit;
}

// A write at this clock changes no visible register, so drawing can wait.
inline void TIA::drawLater(int clock) {
  if (myHMOVEBlankEnabled || myM0CosmicArkMotionEnabled) [[unlikely]]
    return draw(clock);
  reach(clock);
}

inline void TIA::reach(int clock) {
  if (clock <= myReached) return;
  myReachedBefore = myReached;
  myReached = clock;
}

// Draws up to a clock.
inline void TIA::draw(int clock) {
  reach(clock);
  clock = myReached;
  if (clock <= myDrawnUpTo) {
    // ALE blackens the comb's pixels already now, which is visible if the frame ends here.
    if (myHMOVEBlankEnabled && myCombNoted == 0 && clock >= myClockStartDisplay &&
        clock > myClockAtLastUpdate && myClockAtLastUpdate < myClockStopDisplay) {
      const int from = kLine - myClocksToEndOfScanLine + clock - myClockAtLastUpdate;
      myCombNoted = kBlank + kComb - from;
    }
    return;
  }
  drawLines(clock);
}

}  // namespace ale::stella
