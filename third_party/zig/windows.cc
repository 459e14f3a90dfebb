// Parts of zig's libraries for Windows that are missing or wrong.
//
// __builtin_cpu_supports() reads variables of the compiler's library; in zig's they say that a
// processor has no more than the oldest of x86-64. The numbers of the features are those of GCC and
// clang.
#include <cpuid.h>
#include <math.h>

#include <cstdint>

namespace {

struct Registers { unsigned int a = 0, b = 0, c = 0, d = 0; };

Registers CpuId(unsigned int leaf) {
  Registers registers;
  __get_cpuid_count(leaf, 0, &registers.a, &registers.b, &registers.c, &registers.d);
  return registers;
}

// The registers that the system keeps for each thread. Without them, AVX cannot be used.
[[gnu::target("xsave")]] uint64_t KeptRegisters() {
  return __builtin_ia32_xgetbv(0);
}

constexpr uint64_t kAny = 0, kAvx = 0x6, kAvx512 = 0xe6;

struct Feature {
  unsigned int number;
  unsigned int word, bit;  // a register of CPUID, and the bit of the feature
  uint64_t needed;         // registers that the system must keep
};

}  // namespace

extern "C" {

// Compiled code calls them for the sine and the cosine of one angle. zig's own round otherwise than
// the functions of Windows. Optimized, these would call themselves.
[[clang::optnone]] void sincos(double angle, double* sine, double* cosine) {
  *sine = sin(angle);
  *cosine = cos(angle);
}
[[clang::optnone]] void sincosf(float angle, float* sine, float* cosine) {
  *sine = sinf(angle);
  *cosine = cosf(angle);
}

int _fltused = 0;  // objects of Microsoft's compiler with floats refer to it

struct { unsigned int vendor, type, subtype, features[1]; } __cpu_model = {};

unsigned int __cpu_features2[4] = {};

int __cpu_indicator_init() {
  const Registers basic = CpuId(1), extended = CpuId(7);
  const Feature all[] = {
      {2, basic.c, 23, kAny},         // popcnt
      {5, basic.c, 0, kAny},          // sse3
      {6, basic.c, 9, kAny},          // ssse3
      {7, basic.c, 19, kAny},         // sse4.1
      {8, basic.c, 20, kAny},         // sse4.2
      {9, basic.c, 28, kAvx},         // avx
      {10, extended.b, 5, kAvx},      // avx2
      {14, basic.c, 12, kAvx},        // fma
      {15, extended.b, 16, kAvx512},  // avx512f
      {16, extended.b, 3, kAny},      // bmi
      {17, extended.b, 8, kAny},      // bmi2
      {20, extended.b, 31, kAvx512},  // avx512vl
      {21, extended.b, 30, kAvx512},  // avx512bw
      {22, extended.b, 17, kAvx512},  // avx512dq
      {23, extended.b, 28, kAvx512},  // avx512cd
      {26, extended.c, 1, kAvx512},   // avx512vbmi
  };
  const bool has_xgetbv = basic.c >> 27 & 1;
  const uint64_t kept = has_xgetbv ? KeptRegisters() : 0;
  unsigned int& features = __cpu_model.features[0];
  for (const Feature& feature : all) {
    if ((kept & feature.needed) == feature.needed) {
      features |= (feature.word >> feature.bit & 1) << feature.number;
    }
  }
  // The levels x86-64, x86-64-v2, -v3 and -v4 have the numbers 95 to 98. Each contains the one
  // before.
  const unsigned int levels[] = {0x1e4, 0x347e4, 0xf3c7e4};
  __cpu_features2[1] |= 1u << 31;
  for (int i = 0; i < 3; ++i) {
    __cpu_features2[2] |= static_cast<unsigned int>((features & levels[i]) == levels[i]) << i;
  }
  return 0;
}
}

// Before constants that are set by __builtin_cpu_supports().
[[gnu::constructor(101)]] static void FindFeatures() {
  __cpu_indicator_init();
}
