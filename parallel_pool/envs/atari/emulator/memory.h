// The 6507's accesses to memory and devices.
#pragma once

#include <cstdint>
#include <iterator>

#include "parallel_pool/envs/atari/emulator/operations.h"
#include "parallel_pool/envs/atari/emulator/processor.h"

namespace ale::stella {

struct Memory : Operations {
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

  // The stack is in page 1, which mirrors the memory of page 0.
  void Push(uint8_t value, bool after_read) { Poke(0x100 + cpu.sp--, value, after_read); }
  uint8_t Pull() { return Peek(0x100 + ++cpu.sp); }

  // Notes a write to the video chip; it takes effect at the end of the frame or at a read of a
  // collision. False, with nothing noted, for writes that start or end a phase (VSYNC, VBLANK), for
  // sound registers, and if there is no room.
  bool NoteWrite(uint32_t address, uint8_t value) {
    constexpr uint64_t kNotNoted = 0x3 | uint64_t{0x3f} << 0x15;
    const uint32_t target = address & 0x3f;
    if ((address & 0x1080) != 0 || (kNotNoted >> target & 1) || clock >= cpu.frame_limit) {
      return false;
    }
    Note* const note = cpu.video.myNotesEnd;
    if (note == std::end(cpu.video.myNotes)) return false;
    const uint32_t cycle = clock - cpu.frame_begin;
    *note = MakeNote(cycle, target, value);
    cpu.video.myNotesEnd = note + 1;
    cpu.bus = value;
    if (target == 2) {
      const uint32_t in_line = cycle % 76;
      if (in_line != 0) clock += 76 - in_line;
    }
    return true;
  }

  // Instructions that use the stack, with accesses to devices.
  template <Operation kOperation>
  void UseStack() {
    switch (kOperation) {
      case PHA:
        return Push(a, true);
      case PHP:
        return Push(status(), true);
      case PLA:
        Peek(0x100 + cpu.sp);
        return LoadA(Pull());
      case PLP:
        Peek(0x100 + cpu.sp);
        return set_status(Pull());
      case JSR: {
        const uint32_t low = Next();
        Peek(0x100 + cpu.sp);
        Push(static_cast<uint8_t>(pc() >> 8), true);
        Push(static_cast<uint8_t>(pc()), false);
        return Jump(low | Peek(pc() & 0xffff) << 8);
      }
      case RTS: {
        Peek(0x100 + cpu.sp);
        const uint32_t low = Pull(), target = low | Pull() << 8;
        Peek(target);
        return Jump((target + 1) & 0xffff);
      }
      case RTI: {
        Peek(0x100 + cpu.sp);
        set_status(Pull());
        const uint32_t low = Pull();
        return Jump(low | Pull() << 8);
      }
      default: {  // BRK
        Next();
        Push(static_cast<uint8_t>(pc() >> 8), true);
        Push(static_cast<uint8_t>(pc()), false);
        Push(status(), false);
        cpu.masked = 1;
        const uint32_t low = Peek(0xfffe);
        return Jump(low | Peek(0xffff) << 8);
      }
    }
  }
  // The same for frequent instructions, in memory only; false if a device may be in the way.
  template <Operation kOperation>
  bool UseStackInMemory() {
    uint8_t* const ram = cpu.ram;
    const uint8_t sp = cpu.sp;
    switch (kOperation) {
      case PHA:
      case PHP: {
        const uint8_t value = kOperation == PHA ? static_cast<uint8_t>(a) : status();
        if (sp >= 0x80) {
          cpu.bus = ram[sp] = value;
        } else if (!NoteWrite(0x100 + sp, value)) {
          return false;
        }
        cpu.sp = sp - 1;
        return true;
      }
      case PLA:
        if (sp < 0x80 || sp == 0xff) return false;
        LoadA(cpu.bus = ram[sp + 1]);
        cpu.sp = sp + 1;
        return true;
      case JSR: {
        if (sp < 0x81 || ip > cpu.end) return false;
        const uint32_t target = Next16();
        const uint32_t from = pc() - 1;
        ram[sp] = static_cast<uint8_t>(from >> 8);
        ram[sp - 1] = static_cast<uint8_t>(from);
        cpu.sp = sp - 2;
        Jump(target);
        return true;
      }
      case RTS: {
        if (sp < 0x80 || sp >= 0xfe) return false;
        const uint32_t target = ram[sp + 1] | ram[sp + 2] << 8;
        const uint8_t* const page = cpu.peek_pages[PageOf(target)];
        if (!page) return false;
        cpu.bus = page[target & kAddresses];
        cpu.sp = sp + 2;
        Jump((target + 1) & 0xffff);
        return true;
      }
      default:
        return false;
    }
  }
};

}  // namespace ale::stella
