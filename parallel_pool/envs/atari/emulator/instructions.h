// Table of the 6507's opcodes: the operation, the operand's addressing mode, and the cycles.
//
// Operations in lower case are not documented by the makers; they are implemented as in ALE.
#pragma once

#include <cstdint>

namespace parallel_pool::atari {

enum class Operation : uint8_t {
  ADC,
  AND,
  ASL,
  BCC,
  BCS,
  BEQ,
  BIT,
  BMI,
  BNE,
  BPL,
  BRK,
  BVC,
  BVS,
  CLC,
  CLD,
  CLI,
  CLV,
  CMP,
  CPX,
  CPY,
  DEC,
  DEX,
  DEY,
  EOR,
  INC,
  INX,
  INY,
  JMP,
  JSR,
  LDA,
  LDX,
  LDY,
  LSR,
  NOP,
  ORA,
  PHA,
  PHP,
  PLA,
  PLP,
  ROL,
  ROR,
  RTI,
  RTS,
  SBC,
  SEC,
  SED,
  SEI,
  STA,
  STX,
  STY,
  TAX,
  TAY,
  TSX,
  TXA,
  TXS,
  TYA,
  anc,
  ane,
  arr,
  asr,
  dcp,
  isb,
  las,
  lax,
  lxa,
  nop,
  rla,
  rra,
  sax,
  sbx,
  sha,
  shs,
  shx,
  shy,
  slo,
  sre,
  jam,  // not an instruction: the processor stops for good
};

enum class Operand : uint8_t {
  kNone,       // no operand, or the accumulator
  kImmediate,  // the byte after the opcode
  kRelative,   // that byte, as a distance
  kZero,       // the byte at that address in page zero
  kZeroX,      // the same, with X added
  kZeroY,
  kAbsolute,  // the byte at the address in the two bytes after the opcode
  kAbsoluteX,
  kAbsoluteY,
  kIndirect,   // the address at that address
  kIndirectX,  // (pointer in page zero, X)
  kIndirectY,  // (pointer in page zero), Y
};

struct Instruction {
  Operation operation;
  Operand operand;
  uint8_t cycles;  // the minimum; a taken branch and some crossed pages take more
};

// The instruction of an opcode. Bits 2 to 4 are nearly always the addressing mode.
constexpr Instruction Decode(uint8_t opcode) {
  using enum Operation;
  using enum Operand;
  constexpr Operation kOperations[256] = {
      BRK, ORA, jam, slo, nop, ORA, ASL, slo, PHP, ORA, ASL, anc, nop, ORA, ASL, slo,  // 0x
      BPL, ORA, jam, slo, nop, ORA, ASL, slo, CLC, ORA, nop, slo, nop, ORA, ASL, slo,  // 1x
      JSR, AND, jam, rla, BIT, AND, ROL, rla, PLP, AND, ROL, anc, BIT, AND, ROL, rla,  // 2x
      BMI, AND, jam, rla, nop, AND, ROL, rla, SEC, AND, nop, rla, nop, AND, ROL, rla,  // 3x
      RTI, EOR, jam, sre, nop, EOR, LSR, sre, PHA, EOR, LSR, asr, JMP, EOR, LSR, sre,  // 4x
      BVC, EOR, jam, sre, nop, EOR, LSR, sre, CLI, EOR, nop, sre, nop, EOR, LSR, sre,  // 5x
      RTS, ADC, jam, rra, nop, ADC, ROR, rra, PLA, ADC, ROR, arr, JMP, ADC, ROR, rra,  // 6x
      BVS, ADC, jam, rra, nop, ADC, ROR, rra, SEI, ADC, nop, rra, nop, ADC, ROR, rra,  // 7x
      nop, STA, nop, sax, STY, STA, STX, sax, DEY, nop, TXA, ane, STY, STA, STX, sax,  // 8x
      BCC, STA, jam, sha, STY, STA, STX, sax, TYA, STA, TXS, shs, shy, STA, shx, sha,  // 9x
      LDY, LDA, LDX, lax, LDY, LDA, LDX, lax, TAY, LDA, TAX, lxa, LDY, LDA, LDX, lax,  // ax
      BCS, LDA, jam, lax, LDY, LDA, LDX, lax, CLV, LDA, TSX, las, LDY, LDA, LDX, lax,  // bx
      CPY, CMP, nop, dcp, CPY, CMP, DEC, dcp, INY, CMP, DEX, sbx, CPY, CMP, DEC, dcp,  // cx
      BNE, CMP, jam, dcp, nop, CMP, DEC, dcp, CLD, CMP, nop, dcp, nop, CMP, DEC, dcp,  // dx
      CPX, SBC, nop, isb, CPX, SBC, INC, isb, INX, SBC, NOP, SBC, CPX, SBC, INC, isb,  // ex
      BEQ, SBC, jam, isb, nop, SBC, INC, isb, SED, SBC, nop, isb, nop, SBC, INC, isb,  // fx
  };
  constexpr uint8_t kCycles[256] = {
      7, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 4, 4, 6, 6,  // 0x
      2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,  // 1x
      6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 4, 4, 6, 6,  // 2x
      2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,  // 3x
      6, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 3, 4, 6, 6,  // 4x
      2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,  // 5x
      6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 5, 4, 6, 6,  // 6x
      2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,  // 7x
      2, 6, 2, 6, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 4,  // 8x
      2, 6, 2, 6, 4, 4, 4, 4, 2, 5, 2, 5, 5, 5, 5, 5,  // 9x
      2, 6, 2, 6, 3, 3, 3, 4, 2, 2, 2, 2, 4, 4, 4, 4,  // ax
      2, 5, 2, 5, 4, 4, 4, 4, 2, 4, 2, 4, 4, 4, 4, 4,  // bx
      2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6,  // cx
      2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,  // dx
      2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6,  // ex
      2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,  // fx
  };
  // Rows: opcode bits 2 to 4. Columns: bits 0 and 1.
  constexpr Operand kOperands[8][4] = {
      {kImmediate, kIndirectX, kImmediate, kIndirectX},
      {kZero, kZero, kZero, kZero},
      {kNone, kImmediate, kNone, kImmediate},
      {kAbsolute, kAbsolute, kAbsolute, kAbsolute},
      {kRelative, kIndirectY, kNone, kIndirectY},
      {kZeroX, kZeroX, kZeroX, kZeroX},
      {kNone, kAbsoluteY, kNone, kAbsoluteY},
      {kAbsoluteX, kAbsoluteX, kAbsoluteX, kAbsoluteX},
  };
  Operand operand = kOperands[opcode >> 2 & 7][opcode & 3];
  const Operation operation = kOperations[opcode];
  switch (operation) {
    case BRK:
    case RTI:
    case RTS:
    case jam:
      operand = kNone;
      break;
    case JSR:
      operand = kAbsolute;
      break;
    case JMP:
      if (opcode == 0x6c) operand = kIndirect;
      break;
    // These index with Y instead of X.
    case LDX:
    case STX:
    case lax:
    case sax:
    case shx:
    case sha:
      if (operand == kZeroX) operand = kZeroY;
      if (operand == kAbsoluteX) operand = kAbsoluteY;
      break;
    default:
      break;
  }
  return {operation, operand, kCycles[opcode]};
}

// The bytes of an instruction that are read in order: JSR reads its third byte later.
constexpr int Length(uint8_t opcode) {
  const Instruction instruction = Decode(opcode);
  if (instruction.operation == Operation::JSR) return 2;
  switch (instruction.operand) {
    case Operand::kNone:
      return instruction.operation == Operation::BRK ? 2 : 1;  // BRK skips a byte
    case Operand::kAbsolute:
    case Operand::kAbsoluteX:
    case Operand::kAbsoluteY:
    case Operand::kIndirect:
      return 3;
    default:
      return 2;
  }
}

}  // namespace parallel_pool::atari
