// The processor's state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ale/emucore/M6502Low.hxx"
#include "ale/emucore/M6532.hxx"
#include "ale/emucore/System.hxx"
#include "ale/emucore/TIA.hxx"

namespace ale::stella {

// The page of an address: 64 bytes each; the upper three bits of an address are not connected.
constexpr uint32_t PageOf(uint32_t address) {
  return address >> 6 & 0x7f;
}
constexpr uint32_t kAddresses = 0x1fff;

// The state during one call of execute(). Values that change with every instruction are arguments
// of the instructions instead: `ip`, the address after the opcode; `clock`, in cycles; `left`, the
// number of instructions left, with this one; the register A; and `nz`. Its lower byte is 0 if
// the flag Z is set, and one of its bits 0x8080 is set if the flag N is set.
struct Processor {
  M6502Low& owner;
  System& system;
  M6532& timer;
  TIA& video;
  const uint8_t* const* peek_pages;  // memory minus its address, by page; nullptr for devices
  uint8_t* const* poke_pages;
  uint8_t* ram;          // ram[address], for addresses 0x80 to 0xff
  uint32_t frame_limit;  // the cycle at which a frame is cut off; 0: the device decides
  uint32_t frame_begin;  // the cycle at which the frame began

  // The block of code: all bytes of an instruction that begins in [begin, end) are there. The
  // program counter is ip - origin.
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
  size_t size = 0;  // end - begin
  const uint8_t* origin = nullptr;

  uint8_t x, y, sp;
  uint8_t carry;                      // 0 or 1
  uint8_t overflow, decimal, masked;  // set if not 0
  uint8_t bus;                        // the value of the data bus in the last access
  bool stopped = false;               // a device has asked the processor to stop
  uint8_t straddling[3] = {};         // a copy of an instruction whose bytes are not in one block

  // Set after the last instruction.
  uint8_t opcode = 0;
  uint32_t clock = 0;
  uint16_t pc = 0;
  uint8_t a = 0;
  uint32_t nz = 0;

  // Reads memory or a device. A device may change the mapping of memory.
  [[gnu::noinline]] uint8_t Peek(uint32_t address, uint32_t now);
  // Writes to a device; returns the clock, which it may have moved. `after_read`: the access before
  // was a read.
  [[gnu::noinline]] uint32_t Poke(uint32_t address, uint8_t value, uint32_t now, bool after_read);
  // The number of reads of the timer, `cycles` apart, that are not below `least`. 0 if the address
  // is not the timer's.
  [[gnu::noinline]] uint32_t RoundsToWait(uint32_t address, uint32_t now, uint32_t cycles,
                                          uint32_t least) const;
  // Sets the block of code around `pc`.
  void FindCode(uint32_t pc);
  void ForgetCodeIfMoved();
};

// Functions of instructions call one another, and the compiler must make jumps of these calls (tail
// calls), or the stack would overflow. GCC does at -O2, clang if it is told to. All arguments have
// to be in registers: Windows's own convention has registers for four.
#ifdef __clang__
#define PARALLEL_POOL_JUMP [[clang::musttail]]
#else
#define PARALLEL_POOL_JUMP
#endif
#ifdef __x86_64__
#define PARALLEL_POOL_IN_REGISTERS __attribute__((sysv_abi))
#else
#define PARALLEL_POOL_IN_REGISTERS
#endif

using Handler = void(PARALLEL_POOL_IN_REGISTERS*)(Processor& cpu, const uint8_t* ip, uint32_t clock,
                                                  uint32_t left, uint32_t a, uint32_t nz);

struct Handlers {
  Handler of[256];  // by opcode
};
extern const Handlers kHandlers;

// Continues outside of the known block of code.
PARALLEL_POOL_IN_REGISTERS void Elsewhere(Processor& cpu, const uint8_t* ip, uint32_t clock,
                                          uint32_t left, uint32_t a, uint32_t nz);
// Stores the arguments after the last instruction.
PARALLEL_POOL_IN_REGISTERS void Finish(Processor& cpu, const uint8_t* ip, uint32_t clock,
                                       uint32_t left, uint32_t a, uint32_t nz);

}  // namespace ale::stella
