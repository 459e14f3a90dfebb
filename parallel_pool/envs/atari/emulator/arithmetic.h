// The registers of the 6507 and its arithmetic.
#pragma once

#include <cstdint>

#include "parallel_pool/envs/atari/emulator/processor.h"

namespace ale::stella {

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
};

}  // namespace ale::stella
