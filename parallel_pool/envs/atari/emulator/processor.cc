// The 6507 processor of the console: ALE's M6502Low::execute, made fast.
//
// Every access to a device, the value on the data bus at that time and the clock are as in ALE.
#include "parallel_pool/envs/atari/emulator/processor.h"

#include <iostream>
#include <utility>

#include "ale/emucore/Device.hxx"
#include "parallel_pool/envs/atari/emulator/instructions.h"
#include "parallel_pool/envs/atari/emulator/interpreter.h"

namespace ale::stella {
namespace {

template <size_t... opcodes>
constexpr Handlers MakeHandlers(std::index_sequence<opcodes...>) {
  return {{Run<opcodes>...}};
}

}  // namespace

constexpr Handlers kHandlers = MakeHandlers(std::make_index_sequence<256>());

[[gnu::noinline]] PARALLEL_POOL_IN_REGISTERS void Elsewhere(Processor& cpu, const uint8_t* ip,
                                                            uint32_t clock, uint32_t left,
                                                            uint32_t a, uint32_t nz) {
  const uint32_t pc = (ip - cpu.origin) & 0xffff;
  cpu.FindCode(pc);
  ip = cpu.origin + pc;
  if (static_cast<size_t>(ip - cpu.begin) >= cpu.size) {
    // The instruction is in a device, or crosses the end of a block of memory: read it into
    // `straddling`, each byte once.
    const uint8_t opcode = cpu.straddling[0] = cpu.Peek(pc, clock);
    const uint32_t later = clock + Decode(opcode).cycles;
    for (int i = 1; i < parallel_pool::atari::Length(opcode); ++i) {
      cpu.straddling[i] = cpu.Peek((pc + i) & 0xffff, later);
    }
    ip = cpu.begin = cpu.end = cpu.straddling;
    cpu.size = 0;
    cpu.origin = ip - pc;
  }
  PARALLEL_POOL_JUMP return kHandlers.of[*ip](cpu, ip + 1, clock, left, a, nz);
}

[[gnu::noinline]] PARALLEL_POOL_IN_REGISTERS void Finish(Processor& cpu, const uint8_t* ip,
                                                         uint32_t clock, uint32_t, uint32_t a,
                                                         uint32_t nz) {
  cpu.pc = static_cast<uint16_t>(ip - cpu.origin);
  cpu.clock = clock;
  cpu.a = static_cast<uint8_t>(a);
  cpu.nz = nz;
}

void Processor::ForgetCodeIfMoved() {
  if (!system.myPagesChanged) return;
  system.myPagesChanged = false;
  end = begin;
  size = 0;
}

uint8_t Processor::Peek(uint32_t address, uint32_t now) {
  const uint8_t* const page = peek_pages[PageOf(address)];
  if (page) return bus = page[address & kAddresses];
  system.myCycles = now;
  system.myDataBusState = bus;
  Device* const device = system.myPageAccessTable[PageOf(address)].device;
  if (device == &timer && (address & 5) == 4) {
    // The timer's value before it has run out.
    const uint32_t passed = now - 1 - timer.myCyclesWhenTimerSet;
    const int left = static_cast<int>(timer.myTimer - (passed >> timer.myIntervalShift)) - 1;
    if (left >= 0) return bus = static_cast<uint8_t>(left);
  }
  const auto target = static_cast<uint16_t>(address);
  bus = device == &video ? video.peek(target) : device->peek(target);
  ForgetCodeIfMoved();
  return bus;
}

uint32_t Processor::RoundsToWait(uint32_t address, uint32_t now, uint32_t cycles,
                                 uint32_t least) const {
  const uint32_t page = PageOf(address);
  if (peek_pages[page] || system.myPageAccessTable[page].device != &timer || (address & 5) != 4) {
    return 0;
  }
  const int64_t passed = static_cast<int32_t>(now - 1 - timer.myCyclesWhenTimerSet);
  const int64_t steps = int64_t{timer.myTimer} - least;  // steps of the timer until `least`
  const int64_t rest = (steps << timer.myIntervalShift) - 1 - passed;
  return passed >= 0 && rest > 0 ? static_cast<uint32_t>(rest / cycles) : 0;
}

uint32_t Processor::Poke(uint32_t address, uint8_t value, uint32_t now, bool after_read) {
  system.myCycles = now;
  system.myDataBusState = bus;
  owner.myLastAccessWasRead = after_read;
  Device* const device = system.myPageAccessTable[PageOf(address)].device;
  const auto target = static_cast<uint16_t>(address);
  device == &video ? video.poke(target, value) : device->poke(target, value);
  ForgetCodeIfMoved();
  stopped = owner.myExecutionStatus != 0;
  return system.myCycles;
}

void Processor::FindCode(uint32_t from) {
  const uint32_t page = PageOf(from);
  const uint8_t* const base = peek_pages[page];
  if (base == nullptr) {
    begin = end = nullptr;
    size = 0;
    origin = straddling;
    return;
  }
  uint32_t first = page, last = page;
  while (first > 0 && peek_pages[first - 1] == base) --first;
  while (last < PageOf(kAddresses) && peek_pages[last + 1] == base) ++last;
  origin = base - (from & 0xe000);
  begin = base + (first << 6);
  end = base + ((last + 1) << 6) - 2;  // so that all three bytes of an instruction fit
  size = static_cast<size_t>(end - begin);
}

void M6502Low::jam() {
  myExecutionStatus |= FatalErrorBit;
}

bool M6502Low::execute(uint32_t number) {
  myExecutionStatus &= FatalErrorBit;
  if (myExecutionStatus) return false;
  if (number == 0) return true;
  System& system = *mySystem;
  M6532& timer = static_cast<M6532&>(*system.myPageAccessTable[PageOf(0x280)].device);
  timer.myPortsRead = 0;
  system.myPagesChanged = false;
  // Some cartridges also receive the writes to the video chip.
  const bool alone = system.myPageAccessTable[0].device == system.myTIA;
  Processor cpu{.owner = *this,
                .system = system,
                .timer = timer,
                .video = *system.myTIA,
                .peek_pages = system.myPeekPages,
                .poke_pages = system.myPokePages,
                .ram = system.myPokePages[PageOf(0x80)],
                .frame_limit = alone ? system.myTIA->frameLimit() : 0,
                .frame_begin = system.myTIA->frameBegin(),
                .x = X,
                .y = Y,
                .sp = SP,
                .carry = C,
                .overflow = V,
                .decimal = D,
                .masked = I,
                .bus = system.myDataBusState};
  cpu.origin = cpu.straddling;
  Elsewhere(cpu, cpu.origin + PC, system.myCycles, number, A, (N ? 0x8000 : 0) | (notZ ? 1 : 0));
  system.myCycles = cpu.clock;
  system.myDataBusState = cpu.bus;
  PC = cpu.pc;
  A = cpu.a, X = cpu.x, Y = cpu.y, SP = cpu.sp, IR = cpu.opcode;
  N = (cpu.nz & 0x8080) != 0, notZ = (cpu.nz & 0xff) != 0;
  C = cpu.carry != 0, V = cpu.overflow != 0, D = cpu.decimal != 0, I = cpu.masked != 0;
  return (myExecutionStatus & (FatalErrorBit | StopExecutionBit)) != FatalErrorBit;
}

}  // namespace ale::stella
