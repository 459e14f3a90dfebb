// The 6507's way to memory and devices.
#pragma once

#include <cstdint>
#include <iterator>

#include "parallel_pool/atari/emulator/operations.h"
#include "parallel_pool/atari/emulator/processor.h"

namespace ale::stella {

struct Memory : Registers {
  uint8_t Peek(uint32_t address) {
    const uint8_t* const page = cpu.peek_pages[PageOf(address)];
    return cpu.bus = page ? page[address & kAddresses] : cpu.Peek(address, clock);
  }
  void Poke(uint32_t address, uint8_t value, bool after_read = true) {
    uint8_t* const page = cpu.poke_pages[PageOf(address)];
    if (page) {
      page[address & kAddresses] = value;
    } else {
      clock = cpu.Poke(address, value, clock, after_read);
      if (cpu.stopped) left = 1;  // this instruction is the last
    }
    cpu.bus = value;
  }

  uint32_t pc() const { return static_cast<uint32_t>(ip - cpu.origin); }
  void Jump(uint32_t target) { ip = cpu.origin + target; }
  uint8_t Next() { return cpu.bus = *ip++; }
  uint32_t Next16() {
    const uint32_t low = ip[0], high = ip[1];
    ip += 2;
    cpu.bus = static_cast<uint8_t>(high);
    return low | high << 8;
  }

  // The stack is in page 1, where the memory of page 0 is seen again.
  void Push(uint8_t value, bool after_read) { Poke(0x100 + cpu.sp--, value, after_read); }
  uint8_t Pull() { return Peek(0x100 + ++cpu.sp); }

  // Writes to the video chip are noted and take effect when somebody looks.
  bool NoteWrite(uint32_t address, uint8_t value) {
    const uint32_t target = address & 0x3f;
    if ((address & 0x1080) != 0 || target < 2 || clock >= cpu.frame_limit) return false;
    TIA::Write* const note = cpu.video.myWritesEnd;
    if (note == std::end(cpu.video.myWrites)) return false;
    *note = {clock, static_cast<uint8_t>(target), value};
    cpu.video.myWritesEnd = note + 1;
    cpu.bus = value;
    if (target == 2) {
      const uint32_t cycle = (clock - cpu.line_begin) % 76;
      if (cycle != 0) clock += 76 - cycle;
    }
    return true;
  }
};

}  // namespace ale::stella
