// What the instructions of the 6507 work on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ale/emucore/M6502Low.hxx"
#include "ale/emucore/M6532.hxx"
#include "ale/emucore/System.hxx"
#include "ale/emucore/TIA.hxx"

namespace ale::stella {

// Addresses count 64 bytes a page; the upper three bits of an address are not connected.
constexpr uint32_t PageOf(uint32_t address) {
  return address >> 6 & 0x7f;
}
constexpr uint32_t kAddresses = 0x1fff;

// Lives for one call of execute(). What changes with every instruction is passed from one to the
// next instead: `ip`, behind the opcode in memory; `clock`, in cycles; `left`, the instructions to
// go, with this one; the register A; and `nz`, whose lower byte is 0 if the flag Z is set, while
// one of its bits 8080 is set if N is.
struct Processor {
  M6502Low& owner;
  System& system;
  M6532& timer;
  TIA& video;
  const uint8_t* const* peek_pages;  // memory less its address; null where a device is asked
  uint8_t* const* poke_pages;
  uint8_t* ram;          // ram[address], for addresses 0x80 to 0xff
  uint32_t frame_limit;  // the cycle from which on a frame is cut short; 0: ask the device
  uint32_t frame_begin;  // the cycle at which the frame began

  // Where code is read: an instruction that begins in [begin, end) lies there with all its bytes.
  // The program counter is ip - origin.
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
  size_t size = 0;  // end - begin
  const uint8_t* origin = nullptr;

  uint8_t x, y, sp;
  uint8_t carry;                      // 0 or 1
  uint8_t overflow, decimal, masked;  // set if not 0
  uint8_t bus;                        // the byte that the last access moved
  bool stopped = false;               // a device wants the processor to stop
  uint8_t straddling[3] = {};         // an instruction whose bytes do not lie together

  // Set when the last instruction is done.
  uint8_t opcode = 0;
  uint32_t clock = 0;
  uint16_t pc = 0;
  uint8_t a = 0;
  uint32_t nz = 0;

  // Memory or a device. A device may change which memory is seen.
  [[gnu::noinline]] uint8_t Peek(uint32_t address, uint32_t now);
  // A device; returns the clock, which may have moved. `after_read`: the access before was one.
  [[gnu::noinline]] uint32_t Poke(uint32_t address, uint8_t value, uint32_t now, bool after_read);
  // How often the timer, read again and again after `cycles` more each time, does not fall below
  // `least`. 0 if the address is not the timer's.
  [[gnu::noinline]] uint32_t RoundsToWait(uint32_t address, uint32_t now, uint32_t cycles,
                                          uint32_t least) const;
  // Looks for the code around `pc`.
  void FindCode(uint32_t pc);
  void ForgetCodeIfMoved();
};

using Handler = void (*)(Processor& cpu, const uint8_t* ip, uint32_t clock, uint32_t left,
                         uint32_t a, uint32_t nz);

struct Handlers {
  Handler of[256];  // by opcode
};
extern const Handlers kHandlers;

// Goes on where the code is not known to lie.
void Elsewhere(Processor& cpu, const uint8_t* ip, uint32_t clock, uint32_t left, uint32_t a,
               uint32_t nz);
// After the last instruction.
void Finish(Processor& cpu, const uint8_t* ip, uint32_t clock, uint32_t left, uint32_t a,
            uint32_t nz);

}  // namespace ale::stella
