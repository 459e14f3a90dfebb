// Asks for the instruction sets of the processor, and compiles functions for several generations of
// processors. docs/design.md says which way to use when.
//
// Files that are compiled with options such as -mavx2 must not include this header: its inline
// function would be compiled with them, and the linker keeps one copy for all files.
#pragma once

// Before the definition of a function: it is compiled for each of these targets, and the one that
// fits the processor is chosen when the library is loaded:
//   PARALLEL_POOL_CLONES("arch=x86-64-v3", "default") void Shrink(...) { ... }
// With sanitizers there is only one version: they cannot run what chooses (ifunc). A target with
// FMA fuses products and sums, so a function that must be exact computes with integers only.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PARALLEL_POOL_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define PARALLEL_POOL_CLONES(...)
#endif

namespace parallel_pool {

enum class InstructionSet {
  kAvx,
  kAvx2,
  kAvx512,      // F, BW, CD, DQ and VL: x86-64-v4
  kAvx512Vbmi,  // of 64 bytes, with BW: Ice Lake, Zen 4 and later
};

// Whether the processor and the system have it; none of them on other architectures than x86.
inline bool Has([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  switch (set) {
    case InstructionSet::kAvx:
      return __builtin_cpu_supports("avx") != 0;
    case InstructionSet::kAvx2:
      return __builtin_cpu_supports("avx2") != 0;
    case InstructionSet::kAvx512:
      return __builtin_cpu_supports("x86-64-v4") != 0;
    case InstructionSet::kAvx512Vbmi:
      return __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  }
#endif
  return false;
}

}  // namespace parallel_pool
