// Writes to the registers of the video chip that position its objects.
#include <cstdint>

#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/emulator/pixels.h"
#include "parallel_pool/envs/atari/emulator/video.h"

namespace ale::stella {

using parallel_pool::atari::kPixels;

inline void TIA::resetPlayer(int clock, uint8_t& position, const uint8_t*& mask, uint8_t mode) {
  const int x = (clock - myClockWhenFrameStarted) % kLine;
  const int place = x < kBlank ? 3 : (x - kBlank + 5) % kPixels;
  const int when = ourPlayerPositionResetWhenTable[mode][position][place];
  if (when == 1) draw(clock + 11);  // one of its copies is being drawn
  position = place;
  myMasksToReset = true;
  // Its first copy is not visible on this line, except when `when` is -1.
  mask = player(position, mode, when == -1 ? 0 : 1);
}

inline int TIA::column(int clock) const {
  const int x = (clock - myClockWhenFrameStarted) % kLine;
  return x < kBlank ? 2 : (x - kBlank + 4) % kPixels;
}

// Moves all objects by their motions. `cycle` counts from the scanline's beginning.
void TIA::moveAll(int cycle) {
  const int* const motion = ourCompleteMotionTable[cycle];
  const auto move = [](uint8_t& position, int by) {
    const int moved = position + by;
    position = static_cast<uint8_t>(moved >= kPixels ? moved - kPixels
                                    : moved < 0      ? moved + kPixels
                                                     : moved);
  };
  move(myPOSP0, motion[myHMP0]);
  move(myPOSP1, motion[myHMP1]);
  move(myPOSM0, motion[myHMM0]);
  move(myPOSM1, motion[myHMM1]);
  move(myPOSBL, motion[myHMBL]);
}

void TIA::move(int clock, uint8_t address, uint8_t value) {
  const auto change = [&](int delay = 0) {
    draw(clock + delay);
    mySameAsAbove = false;
  };
  switch (address) {
    case 0x10:  // RESP0
      change();
      return resetPlayer(clock, myPOSP0, myCurrentP0Mask, myNUSIZ0 & 7);
    case 0x11:  // RESP1
      change();
      return resetPlayer(clock, myPOSP1, myCurrentP1Mask, myNUSIZ1 & 7);
    case 0x12: {  // RESM0
      change(8);
      myPOSM0 = column(clock);
      // Positions as on a real console, for cases that ALE does not model otherwise.
      const int since = clock - myLastHMOVEClock;
      const int x = (clock - myClockWhenFrameStarted) % kLine;
      if (since == 20 * 3 && x == 69) myPOSM0 = 8;
      myCurrentM0Mask = missile(myPOSM0, myNUSIZ0, 0);
      return;
    }
    case 0x13: {  // RESM1
      change(8);
      myPOSM1 = column(clock);
      const int since = clock - myLastHMOVEClock;
      const int x = (clock - myClockWhenFrameStarted) % kLine;
      if (since == 3 * 3 && x == 18) myPOSM1 = 3;
      myCurrentM1Mask = missile(myPOSM1, myNUSIZ1, 0);
      return;
    }
    case 0x14: {  // RESBL
      change();
      myPOSBL = column(clock);
      const int since = clock - myLastHMOVEClock;
      const int x = (clock - myClockWhenFrameStarted) % kLine;
      if (since == 18 * 3 && (x == 60 || x == 69)) myPOSBL = 10;
      if (since == 3 * 3 && x == 18) myPOSBL = 3;
      if (since == 7 * 3 && x == 30) myPOSBL = 6;
      if (since == 6 * 3 && x == 27) myPOSBL = 5;
      myCurrentBLMask = ball();
      return;
    }
    case 0x20:
      drawLater(clock);
      myHMP0 = value >> 4;
      return;
    case 0x21:
      drawLater(clock);
      myHMP1 = value >> 4;
      return;
    case 0x22: {  // HMM0
      drawLater(clock);
      const int8_t motion = value >> 4;
      if (clock == myLastHMOVEClock + 21 * 3 && myHMM0 == 7 && motion == 6) {
        myM0CosmicArkMotionEnabled = true;  // stars
        myM0CosmicArkCounter = 0;
      }
      myHMM0 = motion;
      return;
    }
    case 0x23:
      drawLater(clock);
      myHMM1 = value >> 4;
      return;
    case 0x24:
      drawLater(clock);
      myHMBL = value >> 4;
      return;
    case 0x28:  // RESMP0
      change();
      if (myRESMP0 && !(value & 2)) {
        const int middle = (myNUSIZ0 & 7) == 5 ? 8 : (myNUSIZ0 & 7) == 7 ? 16 : 4;
        myPOSM0 = (myPOSP0 + middle) % kPixels;
        myCurrentM0Mask = missile(myPOSM0, myNUSIZ0, 0);
      }
      myRESMP0 = value & 2;
      return enable(myM0Bit, myENAM0 && !myRESMP0);
    case 0x29:  // RESMP1
      change();
      if (myRESMP1 && !(value & 2)) {
        const int middle = (myNUSIZ1 & 7) == 5 ? 8 : (myNUSIZ1 & 7) == 7 ? 16 : 4;
        myPOSM1 = (myPOSP1 + middle) % kPixels;
        myCurrentM1Mask = missile(myPOSM1, myNUSIZ1, 0);
      }
      myRESMP1 = value & 2;
      return enable(myM1Bit, myENAM1 && !myRESMP1);
    case 0x2a: {  // HMOVE
      change();
      const int cycle = (clock - myClockWhenFrameStarted) % kLine / 3;
      if (myAllowHMOVEBlanks && ourHMOVEBlankEnableCycles[cycle]) myHMOVEBlankEnabled = true;
      moveAll(cycle);
      placePlayers();
      myCurrentM0Mask = missile(myPOSM0, myNUSIZ0, 0);
      myCurrentM1Mask = missile(myPOSM1, myNUSIZ1, 0);
      myCurrentBLMask = ball();
      myLastHMOVEClock = clock;
      myM0CosmicArkMotionEnabled = false;
      return;
    }
    case 0x2b:  // HMCLR
      drawLater(clock);
      myHMP0 = myHMP1 = myHMM0 = myHMM1 = myHMBL = 0;
      return;
    default:
      return drawLater(clock);
  }
}

}  // namespace ale::stella
