// The registers of the 6507 and what instructions do with them.
#pragma once

#include <cstdint>

#include "parallel_pool/atari/emulator/instructions.h"
#include "parallel_pool/atari/emulator/processor.h"

namespace ale::stella {

using parallel_pool::atari::Operation;
using enum Operation;

struct Registers {
  Processor& cpu;
  const uint8_t* ip;
  uint32_t clock, left, a, nz;

  // Flags.

  bool zero() const { return (nz & 0xff) == 0; }
  bool negative() const { return (nz & 0x8080) != 0; }
  uint8_t status() const {
    return 0x30 | (negative() ? 0x80 : 0) | (cpu.overflow ? 0x40 : 0) | (cpu.decimal ? 0x08 : 0) |
           (cpu.masked ? 0x04 : 0) | (zero() ? 0x02 : 0) | cpu.carry;
  }
  void set_status(uint8_t value) {
    nz = (value & 0x80) << 8 | (value & 0x02 ? 0 : 1);
    cpu.overflow = value & 0x40;
    cpu.decimal = value & 0x08;
    cpu.masked = value & 0x04;
    cpu.carry = value & 0x01;
  }

  // Operations.

  void LoadA(uint8_t value) { nz = a = value; }
  void Compare(uint8_t left_side, uint8_t value) {
    cpu.carry = left_side >= value;
    nz = static_cast<uint8_t>(left_side - value);
  }
  void AddBinary(uint8_t value) {
    const uint32_t sum = a + value + cpu.carry;
    cpu.overflow = ~(a ^ value) & (a ^ sum) & 0x80;
    cpu.carry = sum >> 8;
    nz = a = static_cast<uint8_t>(sum);
  }
  void Add(uint8_t value) { cpu.decimal ? AddDecimal(value) : AddBinary(value); }
  void Subtract(uint8_t value) {
    cpu.decimal ? SubtractDecimal(value) : AddBinary(static_cast<uint8_t>(~value));
  }
  static int FromDecimal(int value) { return (value >> 4) * 10 + (value & 0x0f); }
  static uint8_t ToDecimal(int value) {
    return static_cast<uint8_t>(value % 100 / 10 << 4 | value % 10);
  }
  void AddDecimal(uint8_t value) {
    const int sum = FromDecimal(a) + FromDecimal(value) + cpu.carry;
    const uint8_t result = ToDecimal(sum & 0xff);
    cpu.carry = sum > 99;
    cpu.overflow = (a ^ result) & (result ^ value) & 0x80;
    LoadA(result);
  }
  void SubtractDecimal(uint8_t value) {
    const int borrow = 1 - cpu.carry;
    int difference = FromDecimal(a) - FromDecimal(value) - borrow;
    if (difference < 0) difference += 100;
    // Digits above 9 may leave it negative; ALE then reads from the end of another table.
    const uint8_t result = difference >= 0 ? ToDecimal(difference)
                                           : static_cast<uint8_t>(FromDecimal(256 + difference));
    cpu.carry = static_cast<int>(a) >= value + borrow;
    cpu.overflow = (a ^ result) & (result ^ value) & 0x80;
    LoadA(result);
  }
  void AndRotate(uint8_t value) {
    value &= a;
    uint8_t result = static_cast<uint8_t>(value >> 1 | cpu.carry << 7);
    nz = result;
    if (!cpu.decimal) {
      cpu.carry = result >> 6 & 1;
      cpu.overflow = (result & 0x40) ^ (result & 0x20) << 1;
    } else {
      cpu.overflow = (value ^ result) & 0x40;
      if ((value & 0x0f) + (value & 0x01) > 0x05) result = (result & 0xf0) | ((result + 6) & 0x0f);
      cpu.carry = (value & 0xf0) + (value & 0x10) > 0x50;
      if (cpu.carry) result += 0x60;
    }
    a = result;
  }
  uint8_t ShiftLeft(uint8_t value) {
    cpu.carry = value >> 7;
    return nz = static_cast<uint8_t>(value << 1);
  }
  uint8_t ShiftRight(uint8_t value) {
    cpu.carry = value & 1;
    return nz = value >> 1;
  }
  uint8_t RotateLeft(uint8_t value) {
    const uint8_t in = cpu.carry;
    cpu.carry = value >> 7;
    return nz = static_cast<uint8_t>(value << 1 | in);
  }
  uint8_t RotateRight(uint8_t value) {
    const uint8_t in = cpu.carry;
    cpu.carry = value & 1;
    return nz = static_cast<uint8_t>(value >> 1 | in << 7);
  }

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
  // Instructions that change memory: what becomes of its value.
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
  // What some then do with it.
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
