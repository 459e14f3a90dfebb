// The video chip of the console: ALE's TIA, made fast. This file: writes to registers.
//
// A write first draws with the old state, up to the pixel where it takes effect. Most writes come
// between the visible parts of two scanlines, where nothing has to be drawn.
#include "parallel_pool/envs/atari/emulator/video.h"

#include <cstdint>

#include "ale/emucore/M6502.hxx"
#include "ale/emucore/Sound.hxx"
#include "ale/emucore/System.hxx"
#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/emulator/pixels.h"

namespace ale::stella {

using parallel_pool::atari::kPixels;

inline void TIA::changeTo(uint8_t bit, bool on, int clock) {
  if (((myEnabledObjects & bit) != 0) == on) return drawLater(clock);
  draw(clock);
  mySameAsAbove = false;
  enable(bit, on);
}

inline uint8_t TIA::seen0(uint8_t graphics, uint8_t delayed) const {
  const uint8_t seen = myVDELP0 ? delayed : graphics;
  return myREFP0 ? ourPlayerReflectTable[seen] : seen;
}
inline uint8_t TIA::seen1(uint8_t graphics, uint8_t delayed) const {
  const uint8_t seen = myVDELP1 ? delayed : graphics;
  return myREFP1 ? ourPlayerReflectTable[seen] : seen;
}

inline void TIA::showPlayers() {
  myCurrentGRP0 = seen0(myGRP0, myDGRP0);
  myCurrentGRP1 = seen1(myGRP1, myDGRP1);
  enable(myP0Bit, myCurrentGRP0 != 0);
  enable(myP1Bit, myCurrentGRP1 != 0);
}

inline void TIA::apply(int clock, uint8_t address, uint8_t value) {
  // Visible registers: draws up to the clock of the change.
  const auto change = [&](int delay = 0) {
    draw(clock + delay);
    mySameAsAbove = false;
  };
  const auto color = [&](uint8_t& target) {
    uint8_t c = value & 0xfeu;
    if (myColorLossEnabled && (myScanlineCountForLastFrame & 1)) c |= 1;
    if (target == c) return drawLater(clock);
    change();
    target = c;
  };
  const auto playfield = [&](uint32_t mask, uint32_t bits) {
    static constexpr int kDelay[4] = {4, 5, 2, 3};
    const int delay = kDelay[static_cast<uint32_t>((clock - myClockWhenFrameStarted) / 3) & 3];
    const uint32_t field = (myPF & ~mask) | bits;
    if (field == myPF) return drawLater(clock + delay);
    change(delay);
    myPF = field;
    enable(myPFBit, myBitEnabled[TIA::PF] && myPF != 0);
  };
  const auto sound = [&](uint8_t& target, uint8_t mask) {
    drawLater(clock);
    target = value & mask;
    mySound->set(address, value, clock / 3);
  };
  switch (address) {
    case 0x00:  // VSYNC
      draw(clock);
      myVSYNC = value;
      if (value & 2) {
        myVSYNCFinishClock = clock + kLine;
      } else if (clock >= myVSYNCFinishClock) {
        myVSYNCFinishClock = 0x7fffffff;
        mySystem->m6502().stop();
        myPartialFrameFlag = false;
      }
      return;
    case 0x01:  // VBLANK
      change(1);
      if (!(myVBLANK & 0x80) && (value & 0x80)) myDumpEnabled = true;
      if ((myVBLANK & 0x80) && !(value & 0x80)) {
        myDumpEnabled = false;
        myDumpDisabledCycle = clock / 3;
      }
      myVBLANK = value;
      return;
    case 0x04:  // NUSIZ0
      change(8);
      myNUSIZ0 = value;
      myCurrentP0Mask = player(myPOSP0, myNUSIZ0, 0);
      myCurrentM0Mask = missile(myPOSM0, myNUSIZ0, 0);
      return;
    case 0x05:  // NUSIZ1
      change(8);
      myNUSIZ1 = value;
      myCurrentP1Mask = player(myPOSP1, myNUSIZ1, 0);
      myCurrentM1Mask = missile(myPOSM1, myNUSIZ1, 0);
      return;
    case 0x06:
      return color(myCOLUP0);
    case 0x07:
      return color(myCOLUP1);
    case 0x08:
      return color(myCOLUPF);
    case 0x09:
      return color(myCOLUBK);
    case 0x0a:  // CTRLPF
      change();
      myCTRLPF = value;
      myMasksToReset = true;
      myPlayfieldPriorityAndScore = (value & 0x06) << 5;
      if ((clock - myClockWhenFrameStarted) % kLine < kBlank + 79) {
        myCurrentPFMask = ourPlayfieldTable[value & 1];
      }
      myCurrentBLMask = ball();
      return;
    case 0x0b:  // REFP0
      if (((value & 8) != 0) == myREFP0) return drawLater(clock + 1);
      change(1);
      myREFP0 = !myREFP0;
      myCurrentGRP0 = ourPlayerReflectTable[myCurrentGRP0];
      return;
    case 0x0c:  // REFP1
      if (((value & 8) != 0) == myREFP1) return drawLater(clock + 1);
      change(1);
      myREFP1 = !myREFP1;
      myCurrentGRP1 = ourPlayerReflectTable[myCurrentGRP1];
      return;
    case 0x0d:
      return playfield(0x0000f, value >> 4);
    case 0x0e:
      return playfield(0x00ff0, static_cast<uint32_t>(value) << 4);
    case 0x0f:
      return playfield(0xff000, static_cast<uint32_t>(value) << 12);
    case 0x15:
      return sound(myAUDC0, 0x0f);
    case 0x16:
      return sound(myAUDC1, 0x0f);
    case 0x17:
      return sound(myAUDF0, 0x1f);
    case 0x18:
      return sound(myAUDF1, 0x1f);
    case 0x19:
      return sound(myAUDV0, 0x0f);
    case 0x1a:
      return sound(myAUDV1, 0x0f);
    case 0x1b: {  // GRP0
      const uint8_t graphics = myBitEnabled[TIA::P0] ? value : 0;
      if (seen0(graphics, myDGRP0) == myCurrentGRP0 && seen1(myGRP1, myGRP1) == myCurrentGRP1) {
        drawLater(clock + 1);
      } else {
        change(1);
      }
      myGRP0 = graphics;
      myDGRP1 = myGRP1;
      return showPlayers();
    }
    case 0x1c: {  // GRP1
      const uint8_t graphics = myBitEnabled[TIA::P1] ? value : 0;
      const bool ball_seen = myEnabledObjects & myBLBit;
      if (seen0(myGRP0, myGRP0) == myCurrentGRP0 && seen1(graphics, myDGRP1) == myCurrentGRP1 &&
          myENABL == ball_seen) {
        drawLater(clock + 1);
      } else {
        change(1);
      }
      myGRP1 = graphics;
      myDGRP0 = myGRP0;
      myDENABL = myENABL;
      showPlayers();
      return enable(myBLBit, myENABL);
    }
    case 0x1d: {  // ENAM0
      const bool on = myBitEnabled[TIA::M0] && (value & 2);
      changeTo(myM0Bit, on && !myRESMP0, clock);
      myENAM0 = on;
      return;
    }
    case 0x1e: {  // ENAM1
      const bool on = myBitEnabled[TIA::M1] && (value & 2);
      changeTo(myM1Bit, on && !myRESMP1, clock);
      myENAM1 = on;
      return;
    }
    case 0x1f: {  // ENABL
      const bool on = myBitEnabled[TIA::BL] && (value & 2);
      changeTo(myBLBit, myVDELBL ? myDENABL : on, clock);
      myENABL = on;
      return;
    }
    case 0x25:
      change();
      myVDELP0 = value & 1;
      return showPlayers();
    case 0x26:
      change();
      myVDELP1 = value & 1;
      return showPlayers();
    case 0x27:  // VDELBL
      change();
      myVDELBL = value & 1;
      return enable(myBLBit, myVDELBL ? myDENABL : myENABL);
    case 0x2c:  // CXCLR
      change();
      myCollision = 0;
      myNewCollisions = {.added = 0, .clears = 1};
      return;
    case kLookAtCollisions:
      return showCollisions(clock);
    default:
      if (address < 0x2c && address > 0x0f) return move(clock, address, value);
      return drawLater(clock);
  }
}

// Applies the notes up to and including this cycle of the frame.
[[gnu::flatten]] void TIA::applyNotes(uint32_t last_cycle) {
  for (; myNextNote != myNotesEnd && CycleOf(*myNextNote) <= last_cycle; ++myNextNote) {
    const Note note = *myNextNote;
    apply(myClockWhenFrameStarted + static_cast<int>(CycleOf(note) * 3), RegisterOf(note),
          static_cast<uint8_t>(note));
  }
}

void TIA::poke(uint16_t address, uint8_t value) {
  const int clock = mySystem->cycles() * 3;
  replay((clock - myClockWhenFrameStarted) / 3);
  apply(clock, address & 0x3f, value);
  if ((address & 0x3f) == 2 && mySystem->m6502().lastAccessWasRead()) waitHorizontalSync();
  // A frame that is too long is cut off.
  if ((clock - myClockWhenFrameStarted) / kLine > myMaximumNumberOfScanlines) {
    mySystem->m6502().stop();
    myPartialFrameFlag = false;
  }
}

}  // namespace ale::stella
