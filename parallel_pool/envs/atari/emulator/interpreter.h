// Each opcode is a function that ends with a call of the next opcode's function. The compiler makes
// a jump of it (tail call, see processor.h), so the processor's state stays in registers.
//
// Each function exists twice. The first accesses memory only; if an address belongs to a device, it
// changes nothing and calls the second, which also accesses devices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "parallel_pool/envs/atari/emulator/instructions.h"
#include "parallel_pool/envs/atari/emulator/memory.h"
#include "parallel_pool/envs/atari/emulator/operations.h"
#include "parallel_pool/envs/atari/emulator/processor.h"

namespace ale::stella {

using parallel_pool::atari::Decode;
using parallel_pool::atari::Instruction;
using parallel_pool::atari::Operand;

template <Operation operation>
consteval bool Is(std::initializer_list<Operation> list) {
  for (Operation one : list) {
    if (one == operation) return true;
  }
  return false;
}

template <uint8_t opcode, bool kDevices>
struct Interpreter : Memory {
  static constexpr Instruction kThis = Decode(opcode);
  static constexpr Operation kOperation = kThis.operation;
  static constexpr Operand kOperand = kThis.operand;
  static constexpr bool kStores = Is<kOperation>({STA, STX, STY, sax, sha, shx, shy, shs});
  static constexpr bool kModifies =
      kOperand != Operand::kNone &&
      Is<kOperation>({ASL, LSR, ROL, ROR, INC, DEC, slo, sre, rla, rra, isb, dcp});

  // Finding the operand.

  // Some instructions take one more cycle to read beyond a page's end.
  uint32_t Indexed(uint32_t base, uint8_t index) {
    if constexpr (!kStores && !kModifies) clock += ((base & 0xff) + index) >> 8;
    return (base + index) & 0xffff;
  }
  // Reads a pointer in page zero; false if a device is there.
  bool Pointer(uint8_t at, uint32_t* target) {
    if constexpr (kDevices) {
      const uint32_t low = Peek(at);
      *target = low | Peek(at + 1) << 8;  // 0x100, not in page zero, for 0xff
    } else {
      if (at < 0x80 || at == 0xff) return false;
      *target = cpu.ram[at] | cpu.ram[at + 1] << 8;
    }
    return true;
  }

  // Finds the address of the operand; false if a device is in the way.
  bool FindOperand(uint32_t* address) {
    switch (kOperand) {
      case Operand::kZero:
        *address = Next();
        return true;
      case Operand::kZeroX:
        *address = static_cast<uint8_t>(Next() + cpu.x);
        return true;
      case Operand::kZeroY:
        *address = static_cast<uint8_t>(Next() + cpu.y);
        return true;
      case Operand::kAbsolute:
        *address = Next16();
        return true;
      case Operand::kAbsoluteX:
        *address = Indexed(Next16(), cpu.x);
        return true;
      case Operand::kAbsoluteY:
        *address = Indexed(Next16(), cpu.y);
        return true;
      case Operand::kIndirectX:
        return Pointer(static_cast<uint8_t>(Next() + cpu.x), address);
      case Operand::kIndirectY: {
        uint32_t base = 0;
        if (!Pointer(Next(), &base)) return false;
        *address = Indexed(base, cpu.y);
        return true;
      }
      default:
        return true;
    }
  }
  static constexpr bool kInPageZero =
      kOperand == Operand::kZero || kOperand == Operand::kZeroX || kOperand == Operand::kZeroY;

  // The memory at an address; nullptr if a device is there.
  template <class Byte>
  Byte* Find(Byte* const* pages, uint32_t address) {
    if constexpr (kInPageZero) return address & 0x80 ? cpu.ram + address : nullptr;
    Byte* const page = pages[PageOf(address)];
    return page ? page + (address & kAddresses) : nullptr;
  }

  static constexpr bool kUsesStack = Is<kOperation>({PHA, PHP, PLA, PLP, JSR, RTS, RTI, BRK});
  bool ExecuteJump() {
    uint32_t target = Next16();
    if constexpr (kOperand == Operand::kIndirect) {
      if constexpr (!kDevices) return false;
      const uint32_t low = Peek(target);
      target = low | Peek((target & 0xff00) | ((target + 1) & 0xff))
                         << 8;  // as the 6507, which loses the carry
    }
    Jump(target);
    return true;
  }

  void ExecuteBranch() {
    const auto distance = static_cast<int8_t>(Next());
    if (!Taken<kOperation>()) return;
    const uint32_t before = pc(), target = before + distance;
    clock += 1 + ((before ^ target) >> 8 & 1);  // one more cycle into another page
    ip += distance;
  }

  // Programs wait for the timer in loops of two instructions: LDA INTIM, then BNE or BPL back to
  // it. This skips the rounds that are certain to follow.
  void Wait(uint32_t address) {
    constexpr uint8_t kBne = 0xd0, kBpl = 0x10, kBack = 0xfb;  // by 5 bytes
    if (ip >= cpu.end || ip[1] != kBack || (ip[0] != kBne && ip[0] != kBpl)) return;
    if (ip[0] == kBpl && negative()) return;
    const uint32_t behind = pc() + 2;
    const uint32_t cycles = 7 + ((behind ^ (behind - 5)) >> 8 & 1);
    const uint32_t rounds = cpu.RoundsToWait(address, clock, cycles, ip[0] == kBne ? 1 : 0);
    const uint32_t skipped = std::min(rounds, (left - 1) / 2);
    if (skipped == 0) return;
    clock += skipped * cycles;
    left -= skipped * 2;
    Use<kOperation>(Peek(address));
  }

  void ExecuteWithDevices(uint32_t address) {
    if constexpr (kStores) {
      Poke(address, Stored<kOperation>(address));
    } else if constexpr (kModifies) {
      const uint8_t value = Changed<kOperation>(Peek(address));
      Poke(address, value);
      UseChanged<kOperation>(value);
    } else {
      Use<kOperation>(Peek(address));
      if constexpr (kOperand == Operand::kAbsolute && Is<kOperation>({LDA, LDX, LDY})) {
        Wait(address);
      }
    }
  }

  bool ExecuteInMemory(uint32_t address) {
    if constexpr (kStores) {
      uint8_t* const memory = Find(cpu.poke_pages, address);
      if (!memory) return NoteWrite(address, Stored<kOperation>(address));
      cpu.bus = *memory = Stored<kOperation>(address);
    } else if constexpr (kModifies) {
      uint8_t* const memory = Find(cpu.poke_pages, address);
      if (!memory || memory != Find(cpu.peek_pages, address)) return false;
      UseChanged<kOperation>(cpu.bus = *memory = Changed<kOperation>(*memory));
    } else {
      const uint8_t* const memory = Find(cpu.peek_pages, address);
      if (!memory) return false;
      Use<kOperation>(cpu.bus = *memory);
    }
    return true;
  }

  // Runs the instruction; false if a device is in the way, with the state unchanged.
  bool Execute() {
    if constexpr (kDevices) cpu.bus = opcode;
    if constexpr (kOperation == jam) {
      return false;
    } else if constexpr (kUsesStack) {
      if constexpr (!kDevices) return UseStackInMemory<kOperation>();
      UseStack<kOperation>();
    } else if constexpr (kOperation == JMP) {
      return ExecuteJump();
    } else if constexpr (kOperand == Operand::kRelative) {
      ExecuteBranch();
    } else if constexpr (kOperand == Operand::kNone) {
      cpu.bus = opcode;
      Implied<kOperation>();
    } else if constexpr (kOperand == Operand::kImmediate) {
      Use<kOperation>(Next());
    } else {
      uint32_t address = 0;
      if (!FindOperand(&address)) return false;
      if constexpr (!kDevices) return ExecuteInMemory(address);
      ExecuteWithDevices(address);
    }
    return true;
  }
};

// Whether the opcode may leave the known code other than at its end.
constexpr bool Jumps(uint8_t opcode) {
  const Instruction instruction = Decode(opcode);
  return instruction.operand == Operand::kRelative || instruction.operation == JMP ||
         instruction.operation == JSR || instruction.operation == RTS ||
         instruction.operation == RTI || instruction.operation == BRK;
}

template <uint8_t opcode>
PARALLEL_POOL_IN_REGISTERS void RunWithDevices(Processor& cpu, const uint8_t* ip, uint32_t clock,
                                               uint32_t left, uint32_t a, uint32_t nz);

// One instruction, then the next.
template <uint8_t opcode, bool kDevices>
[[gnu::always_inline]] PARALLEL_POOL_IN_REGISTERS inline void Interpret(
    Processor& cpu, const uint8_t* ip, uint32_t clock, uint32_t left, uint32_t a, uint32_t nz) {
  Interpreter<opcode, kDevices> now{{{{cpu, ip, clock + Decode(opcode).cycles, left, a, nz}}}};
  if (!now.Execute()) PARALLEL_POOL_JUMP return RunWithDevices<opcode>(cpu, ip, clock, left, a, nz);
  if (--now.left == 0) {
    cpu.opcode = opcode;
    PARALLEL_POOL_JUMP return Finish(cpu, now.ip, now.clock, 0, now.a, now.nz);
  }
  const bool known =
      Jumps(opcode) ? static_cast<size_t>(now.ip - cpu.begin) < cpu.size : now.ip < cpu.end;
  if (!known) PARALLEL_POOL_JUMP return Elsewhere(cpu, now.ip, now.clock, now.left, now.a, now.nz);
  PARALLEL_POOL_JUMP return kHandlers.of[*now.ip](cpu, now.ip + 1, now.clock, now.left, now.a,
                                                  now.nz);
}

template <uint8_t opcode>
[[gnu::flatten]] PARALLEL_POOL_IN_REGISTERS void Run(Processor& cpu, const uint8_t* ip,
                                                     uint32_t clock, uint32_t left, uint32_t a,
                                                     uint32_t nz) {
  PARALLEL_POOL_JUMP return Interpret<opcode, false>(cpu, ip, clock, left, a, nz);
}

template <uint8_t opcode>
[[gnu::flatten, gnu::noinline]] PARALLEL_POOL_IN_REGISTERS void RunWithDevices(
    Processor& cpu, const uint8_t* ip, uint32_t clock, uint32_t left, uint32_t a, uint32_t nz) {
  if constexpr (Decode(opcode).operation == Operation::jam) {
    cpu.opcode = cpu.bus = opcode;
    cpu.owner.jam();
    PARALLEL_POOL_JUMP return Finish(cpu, ip, clock + Decode(opcode).cycles, left, a, nz);
  } else {
    PARALLEL_POOL_JUMP return Interpret<opcode, true>(cpu, ip, clock, left, a, nz);
  }
}

}  // namespace ale::stella
