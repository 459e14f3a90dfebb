// Scanlines that need not be drawn again: the state that each depends on, and its effects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace ale::stella {

// The registers of the video chip, with ALE's names: its TIA inherits them. The struct has no
// padding, because its bytes are compared.
struct VideoState {
  // The first part: every scanline depends on it.
  uint32_t myPF;     // the playfield's 20 bits
  uint8_t myCOLUBK;  // the background's color
  uint8_t myVBLANK, myNUSIZ0, myNUSIZ1, myCTRLPF;
  uint8_t myEnabledObjects, myPlayfieldPriorityAndScore;
  uint8_t myGRP0, myGRP1, myDGRP0, myDGRP1;
  uint8_t myCurrentGRP0, myCurrentGRP1;
  bool myREFP0, myREFP1;
  bool myENAM0, myENAM1, myENABL, myDENABL;
  bool myVDELP0, myVDELP1, myVDELBL;
  bool myRESMP0, myRESMP1;
  bool myHMOVEBlankEnabled;
  uint8_t unused[3];

  // The second part: it matters only where an object is visible or moved.
  uint8_t myPOSP0, myPOSP1, myPOSM0, myPOSM1, myPOSBL;  // positions: 0 to 159
  int8_t myHMP0, myHMP1, myHMM0, myHMM1, myHMBL;        // motions: 0 to 15, see TIA::moveAll
  uint8_t myCOLUP0, myCOLUP1, myCOLUPF;                 // colors
  uint8_t unused_too[3];
};
constexpr size_t kAlwaysMatter = offsetof(VideoState, myPOSP0);  // bytes
static_assert(sizeof(VideoState) == 48 && kAlwaysMatter == 32);
static_assert(std::has_unique_object_representations_v<VideoState>);

using ObjectBytes = uint8_t __attribute__((vector_size(16)));  // the state's second part

// A write to the chip: the cycle since the frame began, the register, the value.
using Note = uint32_t;
constexpr uint32_t kNoteCycles = 1 << 18;  // the cycles that fit
constexpr Note MakeNote(uint32_t cycle, uint32_t address, uint8_t value) {
  return cycle << 14 | address << 8 | value;
}
constexpr uint32_t CycleOf(Note note) {
  return note >> 14;
}
constexpr uint8_t RegisterOf(Note note) {
  return note >> 8 & 0x3f;
}
// Notes of reads, not of writes.
constexpr uint8_t kLook = 0x3f;  // of a register that does not depend on the picture
constexpr uint8_t kLookAtCollisions = 0x3e;

// A scanline in a frame buffer: the state at its beginning, the writes during the line, and the
// state at its end. If a line begins in the same state and has the same writes, it need not be
// drawn.
struct KnownLine {
  static constexpr int kMaxNotes = 23;  // a line has 76 cycles; each write takes 3 at least
  static constexpr int kMaxLooks = 4;

  // Collisions that a line adds, and whether it clears those before it.
  struct Collisions {
    uint16_t added : 15, clears : 1;
    uint16_t After(uint16_t before) const {
      return static_cast<uint16_t>((clears ? 0 : before) | added);
    }
  };

  bool known;
  uint8_t num_notes;
  uint8_t num_looks;    // number of reads of collisions
  uint8_t since_hmove;  // TIA::sinceHmove at the line's beginning
  uint8_t hmove;        // the cycle of its last HMOVE; 0: none
  bool moves;           // only that HMOVE moves objects, and it moves all
  Collisions collisions;
  VideoState begin, end;
  ObjectBytes matters;  // 255: the line depends on this byte of the state's second part
  ObjectBytes becomes;  // 255: the byte ends as in `end`; the others do not change
  Note notes[kMaxNotes];
  Collisions seen[kMaxLooks];  // result of each read of collisions
};

}  // namespace ale::stella
