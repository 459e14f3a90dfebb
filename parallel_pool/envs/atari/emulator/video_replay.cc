// Replays what the processor has written to the video chip, scanline by scanline.
//
// Writes are noted, with their cycles, until their effect is needed: at the end of a frame or when
// a collision is read. Most scanlines equal those of two frames before, which were drawn into the
// same buffer. A line that begins with the same registers (as far as they matter to it) and has the
// same writes at the same cycles is in the buffer already, and its effect on the registers is
// known.
//
// A line begins after its cycle 0, at which writes still affect the line above, and ends with its
// cycle 76.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "ale/emucore/System.hxx"
#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/emulator/effects.h"
#include "parallel_pool/envs/atari/emulator/known_line.h"
#include "parallel_pool/envs/atari/emulator/pixels.h"
#include "parallel_pool/envs/atari/emulator/video.h"

namespace ale::stella {

using parallel_pool::atari::kPixels;

namespace {

constexpr int kLineCycles = kLine / 3;
constexpr uint32_t kAll = std::numeric_limits<uint32_t>::max();

ObjectBytes SecondPart(const VideoState& state) {
  ObjectBytes bytes;
  std::memcpy(&bytes, &state.myPOSP0, sizeof bytes);
  return bytes;
}

// Whether a state equals the one at the beginning of a known line, as far as it matters.
bool Alike(const VideoState& state, const KnownLine& line) {
  const ObjectBytes differ = (SecondPart(state) ^ SecondPart(line.begin)) & line.matters;
  uint64_t words[2];
  std::memcpy(words, &differ, sizeof words);
  return (words[0] | words[1]) == 0 && std::memcmp(&state, &line.begin, kAlwaysMatter) == 0;
}

}  // namespace

uint32_t TIA::frameLimit() const {
  return (kLine * (myMaximumNumberOfScanlines + 1) + myClockWhenFrameStarted) / 3;
}

uint32_t TIA::frameBegin() const {
  return myClockWhenFrameStarted / 3;
}

void TIA::beginDrawing() {
  myNextNote = myNotesEnd = myNotes;
  myDrawnUpTo = myReached = myReachedBefore = myFinishedAt = myClockAtLastUpdate;
  myCombNoted = 0;
  mySameAsAbove = false;
  myMasksToReset = true;
  myLine = myClockAtLastUpdate > myClockStartDisplay
               ? (myClockAtLastUpdate - 1 - myClockWhenFrameStarted) / kLine
               : -1;
  myAtLine = myOnlyRegisters = myLearning = false;
}

void TIA::forgetLines() {
  for (int i = 0; i < 2 * KnownLines; ++i) myKnownLines[i].known = false;
}

void TIA::finishFrame() {
  // ALE draws up to the last access, not further.
  const int cycle = myNextNote != myNotesEnd ? static_cast<int>(CycleOf(myNotesEnd[-1])) : 0;
  replay(cycle);
  if (!myHMOVEBlankEnabled) draw(myReached);  // else all pixels are drawn, and the comb can wait
  leaveTraces();
}

// Notes a read; false if there is no room.
bool TIA::noteLook(uint8_t kind) {
  const uint32_t cycle = mySystem->cycles() - frameBegin();
  if (myNotesEnd == std::end(myNotes) || cycle >= kNoteCycles) return false;
  *myNotesEnd++ = MakeNote(cycle, kind, 0);
  return true;
}

void TIA::look(bool at_collisions) {
  if (!at_collisions && noteLook(kLook)) return;
  const int cycle = static_cast<int>(mySystem->cycles() - frameBegin());
  passLines(cycle);
  if (!noteLook(kLookAtCollisions)) {
    replay(cycle);
    return draw(static_cast<int>(mySystem->cycles() * 3));
  }
  if (myAtLine) {
    if (answers(knownLine())) return;
    learn(knownLine());
  }
  if (myOnlyRegisters) catchUp();
  take(kAll);
}

// Applies all notes; no note before `cycle` can follow.
void TIA::replay(int cycle) {
  passLines(cycle);
  if (myOnlyRegisters) catchUp();
  if (inPicture()) knownLine().known = false;
  myAtLine = myLearning = false;
  take(kAll);
}

// Applies the notes up to and including this cycle of the frame, and learns them.
void TIA::take(uint32_t last_cycle) {
  const Note* note = myNextNote;
  applyNotes(last_cycle);
  if (myLearning) {
    KnownLine& line = knownLine();
    const int64_t count = myNextNote - note;
    myLearning = line.num_notes + count <= KnownLine::kMaxNotes;
    if (myLearning) std::copy_n(note, count, line.notes + line.num_notes);
    line.num_notes += static_cast<uint8_t>(count);
  }
  if (myNextNote == myNotesEnd) myNextNote = myNotesEnd = myNotes;
}

// Passes all lines that end before this cycle.
void TIA::passLines(int cycle) {
  while ((myLine + 1) * kLineCycles < cycle) {
    if (!myAtLine) {
      passRestOfLine();
      continue;
    }
    KnownLine& line = knownLine();
    if (repeats(line)) {
      repeat(line);
    } else {
      learn(line);
    }
  }
  if (myNextNote == myNotesEnd) myNextNote = myNotesEnd = myNotes;
}

void TIA::passRestOfLine() {
  if (myOnlyRegisters) catchUp();
  if (!myLearning && inPicture()) knownLine().known = false;
  take((myLine + 1) * kLineCycles);
  drawRestOfLine(lineClock() + kLine);
  const bool is_settled = settled(lineClock() + kLine);
  if (myLearning && is_settled) keep(knownLine());
  myLearning = false;
  ++myLine;
  myAtLine = is_settled && inPicture();
}

inline int TIA::lineClock() const {
  return myClockWhenFrameStarted + myLine * kLine;
}

// Whether the line is one of the picture's.
inline bool TIA::inPicture() const {
  const int offset = lineClock() - myClockStartDisplay;
  return offset >= 0 && lineClock() < myClockStopDisplay && offset < KnownLines * kLine;
}

// The known line at the current line, in the current buffer.
inline KnownLine& TIA::knownLine() {
  const int buffer = myCurrentFrameBuffer < myPreviousFrameBuffer ? 0 : KnownLines;
  return myKnownLines[buffer + (lineClock() - myClockStartDisplay) / kLine];
}

// The cycles since the last HMOVE: some registers depend on it for 21 cycles.
inline uint8_t TIA::sinceHmove() const {
  return static_cast<uint8_t>(
      std::min(static_cast<uint32_t>(lineClock() - myLastHMOVEClock) / 3, 22u));
}

// Whether the rest of the line that begins at `clock` depends on the registers only.
inline bool TIA::settled(int clock) const {
  const bool comb_begun = myClockAtLastUpdate > clock || myCombNoted != 0;
  return !(myHMOVEBlankEnabled && comb_begun) && !myM0CosmicArkMotionEnabled && !myMasksToReset &&
         myCurrentP0Mask == player(myPOSP0, myNUSIZ0, 0) &&
         myCurrentP1Mask == player(myPOSP1, myNUSIZ1, 0) &&
         myCurrentM0Mask == missile(myPOSM0, myNUSIZ0, 0) &&
         myCurrentM1Mask == missile(myPOSM1, myNUSIZ1, 0) && myCurrentBLMask == ball() &&
         myCurrentPFMask == ourPlayfieldTable[myCTRLPF & 1];
}

// Whether the whole line equals the known one.
inline bool TIA::repeats(const KnownLine& line) const {
  if (!line.known || line.since_hmove != sinceHmove()) return false;
  const int64_t count = line.num_notes, noted = myNotesEnd - myNextNote;
  const uint32_t end = (myLine + 1) * kLineCycles;
  return noted >= count && (noted == count || CycleOf(myNextNote[count]) > end) &&
         Alike(*this, line) && std::memcmp(myNextNote, line.notes, count * sizeof(Note)) == 0;
}

inline void TIA::repeat(const KnownLine& line) {
  const ObjectBytes second =
      (SecondPart(*this) & ~line.becomes) | (SecondPart(line.end) & line.becomes);
  std::memcpy(static_cast<VideoState*>(this), &line.end, kAlwaysMatter);
  std::memcpy(&myPOSP0, &second, sizeof second);
  if (line.moves) moveAll(line.hmove % kLineCycles);
  if (line.hmove != 0) myLastHMOVEClock = lineClock() + line.hmove * 3;
  myCollision = line.collisions.After(myCollision);
  myNextNote += line.num_notes;
  myOnlyRegisters = true;
  ++myLine;
  myAtLine = inPicture();
}

// Whether the line so far equals the known one. Then the last read has the same collisions.
bool TIA::answers(const KnownLine& line) {
  const int64_t noted = myNotesEnd - myNextNote;
  if (!line.known || line.since_hmove != sinceHmove() || noted > line.num_notes ||
      !Alike(*this, line) || std::memcmp(myNextNote, line.notes, noted * sizeof(Note)) != 0) {
    return false;
  }
  const auto looks = std::count_if(myNextNote, myNotesEnd,
                                   [](Note note) { return RegisterOf(note) == kLookAtCollisions; });
  myCollision = line.seen[looks - 1].After(myCollision);
  return true;
}

// Continues as if all lines before had been drawn; here a line of the picture begins, or the first
// one below it.
void TIA::catchUp() {
  myOnlyRegisters = false;
  placePlayers();
  myCurrentM0Mask = missile(myPOSM0, myNUSIZ0, 0);
  myCurrentM1Mask = missile(myPOSM1, myNUSIZ1, 0);
  myCurrentBLMask = ball();
  myCurrentPFMask = ourPlayfieldTable[myCTRLPF & 1];
  myReached = myReachedBefore = lineClock();
  myCombNoted = 0;
  mySameAsAbove = false;
  myFramePointer = myCurrentFrameBuffer + (lineClock() - myClockStartDisplay) / kLine * kPixels;
  myClockAtLastUpdate = lineClock();
  const bool ended = lineClock() >= myClockStopDisplay;
  myClocksToEndOfScanLine = ended ? 0 : kLine;
  myDrawnUpTo = ended ? std::numeric_limits<int>::max() : lineClock() + kBlank;
}

// Begins to draw and to learn a line.
void TIA::learn(KnownLine& line) {
  if (myOnlyRegisters) catchUp();
  line.known = false;
  line.num_notes = line.num_looks = 0;
  line.since_hmove = sinceHmove();
  line.begin = *this;
  myNewCollisions = {};
  mySeenObjects = 0;
  myLearning = true;
  myAtLine = false;
}

void TIA::showCollisions(int clock) {
  draw(clock);
  if (!myLearning) return;
  KnownLine& line = knownLine();
  if (line.num_looks == KnownLine::kMaxLooks) {
    myLearning = false;
  } else {
    line.seen[line.num_looks++] = myNewCollisions;
  }
}

// Stores a line that has been drawn and learned.
void TIA::keep(KnownLine& line) {
  Effects effects;
  for (int i = 0; i < line.num_notes; ++i) effects.Add(RegisterOf(line.notes[i]));
  effects.See(mySeenObjects);
  line.moves = effects.Move();
  line.matters = effects.matters();
  line.becomes = effects.becomes();
  const int hmove = (myLastHMOVEClock - lineClock()) / 3;
  line.hmove = static_cast<uint8_t>(std::max(hmove, 0));
  line.collisions = myNewCollisions;
  line.end = *this;
  line.known = true;
}

}  // namespace ale::stella
