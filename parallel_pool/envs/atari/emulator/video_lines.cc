// Draws scanlines of the video chip: the pixels between two clocks.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/emulator/pixels.h"
#include "parallel_pool/envs/atari/emulator/video.h"

namespace ale::stella {

using parallel_pool::atari::CopyScanline;
using parallel_pool::atari::DrawPixels;
using parallel_pool::atari::kNoPlayfield;
using parallel_pool::atari::kPixels;
using parallel_pool::atari::kPlayfieldPixels;
using parallel_pool::atari::Objects;

// Makes the playfield of the whole scanline: three registers, repeated or mirrored.
void TIA::makePlayfield() {
  const bool mirrored = myCurrentPFMask == ourPlayfieldTable[1];
  const uint32_t key = myPF | (mirrored ? 0x80000000u : 0);
  if (key == myPlayfieldKey) return;
  myPlayfieldKey = key;
  const uint32_t first = myPF & 0xf, second = myPF >> 4 & 0xff, third = myPF >> 12 & 0xff;
  const auto put = [this](int x, const uint8_t* pixels) {
    std::memcpy(myPlayfield.pixels + x, pixels, 32);
  };
  const auto& [low_first, high_first] = kPlayfieldPixels;
  put(0, low_first[first]);
  put(16, high_first[second]);
  put(48, low_first[third]);
  if (!mirrored) {
    put(80, low_first[first]);
    put(96, high_first[second]);
    put(128, low_first[third]);
  } else {
    put(80, high_first[third]);
    put(112, low_first[second]);
    put(144, high_first[first << 4]);
  }
}

// Draws n pixels of a scanline from x on.
inline void TIA::drawPart(uint32_t n, uint32_t x) {
  uint8_t* const to = myFramePointer;
  myFramePointer = to + n;
  const uint8_t enabled = myEnabledObjects;
  const bool whole = n == kPixels;
  if (!(myVBLANK & 2)) {
    mySeenObjects |= enabled;
    if (enabled & myPFBit) mySeenObjects |= myPlayfieldPriorityAndScore & ScoreBit;
  }
  if ((myVBLANK & 2) || enabled == 0) {
    std::memset(to, myVBLANK & 2 ? 0 : myCOLUBK, n);
    return;
  }
  if (whole && mySameAsAbove) {
    myNewCollisions.added |= myCollisionsAbove;
    return CopyScanline(to - kPixels, to);
  }
  if (enabled & myPFBit) makePlayfield();
  const Objects objects{
      .player0 = myCurrentP0Mask,
      .player1 = myCurrentP1Mask,
      .missile0 = enabled & myM0Bit ? myCurrentM0Mask : ourDisabledMaskTable,
      .missile1 = enabled & myM1Bit ? myCurrentM1Mask : ourDisabledMaskTable,
      .ball = enabled & myBLBit ? myCurrentBLMask : ourDisabledMaskTable,
      .playfield = enabled & myPFBit ? myPlayfield.pixels : kNoPlayfield.pixels,
      .graphics0 = enabled & myP0Bit ? myCurrentGRP0 : uint8_t{0},
      .graphics1 = enabled & myP1Bit ? myCurrentGRP1 : uint8_t{0},
      .background = myCOLUBK,
      .front = myCOLUPF,
      .color0 = myCOLUP0,
      .color1 = myCOLUP1,
      // In ALE, score wins over priority where the playfield is the only object.
      .priority = (myPlayfieldPriorityAndScore & PriorityBit) != 0 &&
                  !(enabled == myPFBit && (myPlayfieldPriorityAndScore & ScoreBit) != 0),
      .score = (myPlayfieldPriorityAndScore & ScoreBit) != 0,
  };
  const uint16_t collisions = DrawPixels(objects, x, n, to);
  myCollision |= collisions;
  myNewCollisions.added |= collisions;
  myCollisionsAbove = collisions;
  mySameAsAbove = whole;
}

// Ends a scanline and begins the next.
inline void TIA::endLine() {
  if (myMasksToReset) {
    myMasksToReset = false;
    mySameAsAbove = false;
    myCurrentPFMask = ourPlayfieldTable[myCTRLPF & 1];
    placePlayers();
  }
  if (myM0CosmicArkMotionEnabled) [[unlikely]] {
    static constexpr int kMotion[4] = {18, 33, 0, 17};
    mySameAsAbove = false;
    myM0CosmicArkCounter = (myM0CosmicArkCounter + 1) & 3;
    const int moved = myPOSM0 - kMotion[myM0CosmicArkCounter];
    myPOSM0 = static_cast<uint8_t>(moved < 0 ? moved + kPixels : moved);
    if (myM0CosmicArkCounter == 2) {
      myCurrentM0Mask = ourDisabledMaskTable;
    } else {
      myCurrentM0Mask = missile(myPOSM0, myNUSIZ0, myM0CosmicArkCounter == 1 ? 1 : 0);
    }
  }
}

void TIA::drawLines(int clock) {
  if (clock < myClockStartDisplay || myClockAtLastUpdate >= myClockStopDisplay ||
      myClockAtLastUpdate >= clock) {
    return;
  }
  if (myCombNoted != 0) {
    std::memset(myFramePointer, 0, myCombNoted);
    myCombNoted = 0;
  }
  clock = std::min(clock, myClockStopDisplay);
  do {
    int from = kLine - myClocksToEndOfScanLine;
    int count;
    if (clock > myClockAtLastUpdate + myClocksToEndOfScanLine) {
      count = myClocksToEndOfScanLine;
      myClocksToEndOfScanLine = kLine;
      myClockAtLastUpdate += count;
    } else {
      count = clock - myClockAtLastUpdate;
      myClocksToEndOfScanLine -= count;
      myClockAtLastUpdate = clock;
    }
    if (from < kBlank) {
      const int skipped = std::min(kBlank - from, count);
      from += skipped;
      count -= skipped;
    }
    uint8_t* const begin = myFramePointer;
    if (count != 0) drawPart(count, from - kBlank);
    if (myHMOVEBlankEnabled && from < kBlank + kComb) {
      std::memset(begin, 0, kBlank + kComb - from);
      mySameAsAbove = false;
      if (count + from >= kBlank + kComb) myHMOVEBlankEnabled = false;
    }
    if (myClocksToEndOfScanLine == kLine) endLine();
  } while (myClockAtLastUpdate < clock);

  const int from = kLine - myClocksToEndOfScanLine;
  myDrawnUpTo = myClockAtLastUpdate >= myClockStopDisplay ? 0x7fffffff
                : from < kBlank                           ? myClockAtLastUpdate + kBlank - from
                                                          : myClockAtLastUpdate;
}

// Draws the rest of the line that ends at `clock`, and nothing of the next line: its comb begins
// with its first drawn pixel.
void TIA::drawRestOfLine(int clock) {
  drawLines(clock);
  if (myClockAtLastUpdate != clock || myClocksToEndOfScanLine != 0 || clock == myClockStopDisplay) {
    return;
  }
  myClocksToEndOfScanLine = kLine;
  myDrawnUpTo = clock + kBlank;
  endLine();
}

// Draws the pixels that ALE leaves after the last one, if a frame ends within a scanline. ALE
// writes four pixels at a time where only the playfield or the background can be, and blackens a
// whole comb.
void TIA::leaveTraces() {
  if (myCombNoted != 0) std::memset(myFramePointer, 0, myCombNoted);
  myCombNoted = 0;
  if (myFinishedAt == myClockAtLastUpdate) return;
  myFinishedAt = myClockAtLastUpdate;
  const int end = kLine - myClocksToEndOfScanLine - kBlank;
  if (end <= 0 || end >= kPixels || end % 4 == 0 || (myVBLANK & 2) ||
      myClockAtLastUpdate >= myClockStopDisplay) {
    return;
  }
  const int x = end & ~3;
  if (end - (myClockAtLastUpdate - myReachedBefore) > x)
    return;  // drawing began within these four pixels
  uint8_t enabled = myEnabledObjects;
  const bool score = myPlayfieldPriorityAndScore & ScoreBit;
  switch (enabled) {
    case myPFBit:
    case myP0Bit:
    case myP1Bit:
    case myM0Bit:
    case myM1Bit:
    case myBLBit:
    case myP0Bit | myP1Bit:
    case myM0Bit | myM1Bit:
    case myBLBit | myM0Bit:
    case myBLBit | myM1Bit:
    case myBLBit | myP1Bit:
      break;
    case myPFBit | myP0Bit:
    case myPFBit | myP1Bit:
    case myPFBit | myBLBit:
      if (!score) break;
      return;
    default:
      return;
  }
  const auto seen = [&](uint8_t bit, const uint8_t* row) {
    uint32_t four;
    std::memcpy(&four, row + x, sizeof four);
    return (enabled & bit) && four != 0;
  };
  if (seen(myP0Bit, myCurrentP0Mask) || seen(myP1Bit, myCurrentP1Mask) ||
      seen(myM0Bit, myCurrentM0Mask) || seen(myM1Bit, myCurrentM1Mask) ||
      seen(myBLBit, myCurrentBLMask)) {
    return;
  }
  uint8_t color = myCOLUBK;
  if ((enabled & myPFBit) && (myPF & myCurrentPFMask[x])) {
    color = !score ? myCOLUPF : x < kPixels / 2 ? myCOLUP0 : myCOLUP1;
  }
  std::memset(myFramePointer - (end - x), color, 4);
}

}  // namespace ale::stella
