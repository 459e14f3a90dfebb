// Scanlines that need not be drawn again: what each depends on, and what it leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace ale::stella {

// The registers of the video chip. They have ALE's names: its TIA inherits them. No padding: bytes
// are compared.
struct VideoState {
  // Those that every scanline depends on.
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

  // Those that matter only where an object is seen or moved.
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
// Not writes: the program has looked.
constexpr uint8_t kLook = 0x3f;  // at what does not depend on the picture
constexpr uint8_t kLookAtCollisions = 0x3e;

// A scanline as a frame buffer has it: how it began, what was written while it lasted, and how it
// ended. If it begins in the same way again and gets the same writes it need not be drawn.
struct KnownLine {
  static constexpr int kMaxNotes = 23;  // of 76 cycles, each write takes 3
  static constexpr int kMaxLooks = 4;

  // Collisions that a line adds, and whether it takes those before it away.
  struct Collisions {
    uint16_t added : 15, clears : 1;
    uint16_t After(uint16_t before) const {
      return static_cast<uint16_t>((clears ? 0 : before) | added);
    }
  };

  bool known;
  uint8_t num_notes;
  uint8_t num_looks;    // at collisions
  uint8_t since_hmove;  // at its beginning: see TIA::sinceHmove
  uint8_t hmove;        // the cycle of its last HMOVE; 0: none
  bool moves;           // and that moves all objects, and nothing else does
  Collisions collisions;
  VideoState begin, end;
  ObjectBytes matters;  // 255: it depends on this byte of the state's second part
  ObjectBytes becomes;  // 255: that byte ends as in `end`; others stay
  Note notes[kMaxNotes];
  Collisions seen[kMaxLooks];  // by each look
};

}  // namespace ale::stella
