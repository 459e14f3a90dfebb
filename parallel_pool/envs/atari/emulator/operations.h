// Operations of the instructions, without finding their operands.
#pragma once

#include <cstdint>

#include "parallel_pool/envs/atari/emulator/arithmetic.h"
#include "parallel_pool/envs/atari/emulator/instructions.h"

namespace ale::stella {

using parallel_pool::atari::Operation;
using enum Operation;

struct Operations : Registers {
  // Instructions that only read their operand.
  template <Operation kOperation>
  void Use(uint8_t value) {
    switch (kOperation) {
      case LDA:
        return LoadA(value);
      case LDX:
        nz = cpu.x = value;
        return;
      case LDY:
        nz = cpu.y = value;
        return;
      case AND:
        return LoadA(a & value);
      case ORA:
        return LoadA(a | value);
      case EOR:
        return LoadA(a ^ value);
      case ADC:
        return Add(value);
      case SBC:
        return Subtract(value);
      case CMP:
        return Compare(a, value);
      case CPX:
        return Compare(cpu.x, value);
      case CPY:
        return Compare(cpu.y, value);
      case BIT:
        nz = (value & 0x80) << 8 | (a & value);
        cpu.overflow = value & 0x40;
        return;
      case anc:
        LoadA(a & value);
        cpu.carry = a >> 7;
        return;
      case ane:
        return LoadA((a | 0xee) & cpu.x & value);
      case arr:
        return AndRotate(value);
      case asr:
        a = ShiftRight(a & value);
        return;
      case las:
        cpu.x = cpu.sp = cpu.sp & value;
        return LoadA(cpu.x);
      case lax:
        cpu.x = value;
        return LoadA(value);
      case lxa:
        LoadA((a | 0xee) & value);
        cpu.x = a;
        return;
      case sbx:
        cpu.x &= a;
        Compare(cpu.x, value);
        cpu.x -= value;
        return;
      default:
        return;  // nop
    }
  }
  // Instructions that change memory; returns the new value.
  template <Operation kOperation>
  uint8_t Changed(uint8_t value) {
    switch (kOperation) {
      case ASL:
      case slo:
        return ShiftLeft(value);
      case LSR:
      case sre:
        return ShiftRight(value);
      case ROL:
      case rla:
        return RotateLeft(value);
      case ROR:
      case rra:
        return RotateRight(value);
      case INC:
      case isb:
        return nz = static_cast<uint8_t>(value + 1);
      default:
        return nz = static_cast<uint8_t>(value - 1);
    }
  }
  // The second half of some of them, which uses the new value.
  template <Operation kOperation>
  void UseChanged(uint8_t value) {
    switch (kOperation) {
      case slo:
        return LoadA(a | value);
      case rla:
        return LoadA(a & value);
      case sre:
        return LoadA(a ^ value);
      case rra:
        return Add(value);
      case isb:
        return Subtract(value);
      case dcp:
        return Compare(a, value);
      default:
        return;
    }
  }
  template <Operation kOperation>
  uint8_t Stored(uint32_t address) {
    const auto high = static_cast<uint8_t>((address >> 8) + 1);
    switch (kOperation) {
      case STA:
        return a;
      case STX:
        return cpu.x;
      case STY:
        return cpu.y;
      case sax:
        return a & cpu.x;
      case sha:
        return a & cpu.x & high;
      case shx:
        return cpu.x & high;
      case shy:
        return cpu.y & high;
      default:
        return (cpu.sp = a & cpu.x) & high;  // shs
    }
  }
  template <Operation kOperation>
  bool Taken() const {
    switch (kOperation) {
      case BPL:
        return !negative();
      case BMI:
        return negative();
      case BVC:
        return !cpu.overflow;
      case BVS:
        return cpu.overflow;
      case BCC:
        return !cpu.carry;
      case BCS:
        return cpu.carry;
      case BNE:
        return !zero();
      default:
        return zero();  // BEQ
    }
  }
  template <Operation kOperation>
  void Implied() {
    switch (kOperation) {
      case ASL:
        a = ShiftLeft(a);
        return;
      case LSR:
        a = ShiftRight(a);
        return;
      case ROL:
        a = RotateLeft(a);
        return;
      case ROR:
        a = RotateRight(a);
        return;
      case CLC:
        cpu.carry = 0;
        return;
      case SEC:
        cpu.carry = 1;
        return;
      case CLI:
        cpu.masked = 0;
        return;
      case SEI:
        cpu.masked = 1;
        return;
      case CLV:
        cpu.overflow = 0;
        return;
      case CLD:
        cpu.decimal = 0;
        return;
      case SED:
        cpu.decimal = 1;
        return;
      case DEX:
        nz = --cpu.x;
        return;
      case DEY:
        nz = --cpu.y;
        return;
      case INX:
        nz = ++cpu.x;
        return;
      case INY:
        nz = ++cpu.y;
        return;
      case TAX:
        nz = cpu.x = a;
        return;
      case TAY:
        nz = cpu.y = a;
        return;
      case TXA:
        return LoadA(cpu.x);
      case TYA:
        return LoadA(cpu.y);
      case TSX:
        nz = cpu.x = cpu.sp;
        return;
      case TXS:
        cpu.sp = cpu.x;
        return;
      default:
        return;  // NOP
    }
  }
};

}  // namespace ale::stella
