// Effects of writes to the video chip on the second part of its state: the bytes that matter to a
// scanline, and the bytes that the line sets.
#pragma once

#include <cstdint>
#include <cstring>

#include "parallel_pool/envs/atari/emulator/known_line.h"

namespace ale::stella {

class Effects {
 public:
  void Add(uint8_t address) {
    matters_ |= kOf.matters[address];
    becomes_ |= kOf.becomes[address];
    hmoves_ += address == kHMOVE;
  }

  // Adds the bytes of visible objects. `objects` has the bits of myEnabledObjects, and 0x40 if the
  // playfield has the players' colors.
  void See(uint8_t objects) {
    const auto add = [&](uint8_t any, uint32_t bytes) { matters_ |= objects & any ? bytes : 0; };
    add(0x01, kPositionP0);
    add(0x02, kPositionM0);
    add(0x04, kPositionP1);
    add(0x08, kPositionM1);
    add(0x10, kPositionBL);
    add(0x40 | 0x02 | 0x01, kColorP0);
    add(0x40 | 0x08 | 0x04, kColorP1);
    add(0x20 | 0x10, kColorPF);
  }

  // Call it after all other functions. True if one HMOVE moves all objects and nothing else changes
  // their positions: then the line's effect is known without the positions.
  bool Move() {
    if (hmoves_ == 0) return false;
    if (hmoves_ == 1 && (becomes_ & (kPositions | kMotions)) == 0) {
      matters_ |= (matters_ & kPositions) << 5;  // the motions of visible objects
      return true;
    }
    matters_ |= kPositions | kMotions;
    becomes_ |= kPositions | kMotions;
    return false;
  }

  ObjectBytes matters() const { return Spread(matters_); }
  ObjectBytes becomes() const { return Spread(becomes_); }

 private:
  // One bit for each byte of the state's second part.
  enum : uint32_t {
    kPositionP0 = 1 << 0,
    kPositionP1 = 1 << 1,
    kPositionM0 = 1 << 2,
    kPositionM1 = 1 << 3,
    kPositionBL = 1 << 4,
    kPositions = 0x1f,
    kMotionP0 = 1 << 5,
    kMotionM0 = 1 << 7,
    kMotions = 0x3e0,
    kColorP0 = 1 << 10,
    kColorP1 = 1 << 11,
    kColorPF = 1 << 12,
  };
  static constexpr uint8_t kHMOVE = 0x2a;

  struct OfRegisters { uint16_t matters[64], becomes[64]; };
  static constexpr OfRegisters MakeEffects() {
    OfRegisters of{};
    for (int i = 0; i < 3; ++i) of.becomes[0x06 + i] = kColorP0 << i;  // COLUP0, COLUP1, COLUPF
    for (int i = 0; i < 5; ++i) {
      of.becomes[0x10 + i] = kPositionP0 << i;  // RESP0, RESP1, RESM0, RESM1, RESBL
      of.becomes[0x20 + i] = kMotionP0 << i;    // HMP0 and so on
    }
    for (int i = 0; i < 2; ++i) {
      of.matters[0x10 + i] = kPositionP0 << i;  // a player's copies may not be drawn yet
      of.matters[0x28 + i] = (kPositionP0 | kPositionM0) << i;  // RESMP0, RESMP1
      of.becomes[0x28 + i] = kPositionM0 << i;
    }
    of.matters[0x22] = kMotionM0;  // HMM0 may start stars
    of.becomes[0x2b] = kMotions;   // HMCLR
    return of;
  }
  static const OfRegisters kOf;

  // Expands 8 bits to bytes: 0 or 255.
  static uint64_t Spread8(uint32_t bits) {
    const uint64_t one_each = (bits * 0x0101010101010101u) & 0x8040201008040201u;
    return (((one_each + 0x7f7f7f7f7f7f7f7fu) | one_each) >> 7 & 0x0101010101010101u) * 255;
  }
  static ObjectBytes Spread(uint32_t bits) {
    const uint64_t words[2] = {Spread8(bits & 0xff), Spread8(bits >> 8 & 0xff)};
    ObjectBytes bytes;
    std::memcpy(&bytes, words, sizeof bytes);
    return bytes;
  }

  uint32_t matters_ = 0, becomes_ = 0;
  int hmoves_ = 0;
};

inline constexpr Effects::OfRegisters Effects::kOf = Effects::MakeEffects();

}  // namespace ale::stella
