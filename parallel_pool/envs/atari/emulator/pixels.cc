#include "parallel_pool/envs/atari/emulator/pixels.h"

#include <cstring>

#include "parallel_pool/core/instruction_sets.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace parallel_pool::atari {
namespace {

using Wide = uint8_t __attribute__((vector_size(32)));
using Narrow = uint8_t __attribute__((vector_size(16)));

// 255 in the left half of a scanline, then 0.
constexpr Row kLeft = [] {
  Row row{};
  for (int x = 0; x < kPixels / 2; ++x) row.pixels[x] = 255;
  return row;
}();

// 255 for 32 pixels, then 0.
struct FirstPixels { uint8_t valid[64]; };
constexpr FirstPixels kFirst = [] {
  FirstPixels first{};
  for (int x = 0; x < 32; ++x) first.valid[x] = 255;
  return first;
}();

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
[[gnu::always_inline]] inline bool Any(Wide v) {
  return !_mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v));
}
[[gnu::always_inline]] inline bool Any(Narrow v) {
  return !_mm_testz_si128(reinterpret_cast<__m128i>(v), reinterpret_cast<__m128i>(v));
}
[[gnu::always_inline]] inline Wide Choose(Wide mask, Wide a, Wide b) {
  return reinterpret_cast<Wide>(_mm256_blendv_epi8(
      reinterpret_cast<__m256i>(b), reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(mask)));
}
[[gnu::always_inline]] inline Narrow Choose(Narrow mask, Narrow a, Narrow b) {
  return reinterpret_cast<Narrow>(_mm_blendv_epi8(
      reinterpret_cast<__m128i>(b), reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(mask)));
}
#include "parallel_pool/envs/atari/emulator/pixels.inc"
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace portable {
#if defined(__aarch64__)
[[gnu::always_inline]] inline bool Any(Narrow v) {
  return vmaxvq_u32(reinterpret_cast<uint32x4_t>(v)) != 0;
}
[[gnu::always_inline]] inline bool Any(Wide v) {
  Narrow halves[2];
  std::memcpy(halves, &v, sizeof v);
  return Any(halves[0] | halves[1]);
}
#else
template <class Vector>
[[gnu::always_inline]] inline bool Any(Vector v) {
  uint64_t parts[sizeof v / 8], any = 0;
  std::memcpy(parts, &v, sizeof v);
  for (uint64_t part : parts) any |= part;
  return any != 0;
}
#endif
template <class Vector>
[[gnu::always_inline]] inline Vector Choose(Vector mask, Vector a, Vector b) {
  return (a & mask) | (b & ~mask);
}
#include "parallel_pool/envs/atari/emulator/pixels.inc"
}  // namespace portable

#if defined(__x86_64__) && !defined(PARALLEL_POOL_PORTABLE)
const bool kHasAvx2 = Has(InstructionSet::kAvx2);
#else
constexpr bool kHasAvx2 = false;
namespace avx2 = portable;
#endif

}  // namespace

const Row kNoPlayfield = [] {
  Row row{};
  for (uint8_t& pixel : row.pixels) pixel = 255;
  return row;
}();

const PlayfieldPixels kPlayfieldPixels = [] {
  PlayfieldPixels pixels{};
  for (int bits = 0; bits < 256; ++bits) {
    for (int x = 0; x < 32; ++x) {
      pixels.low_first[bits][x] = bits >> (x / 4) & 1 ? 0 : 255;
      pixels.high_first[bits][x] = bits << (x / 4) & 0x80 ? 0 : 255;
    }
  }
  return pixels;
}();

uint16_t (*const DrawPixels)(const Objects&, uint32_t, uint32_t,
                             uint8_t*) = kHasAvx2 ? avx2::DrawSome : portable::DrawSome;
void (*const CopyScanline)(const uint8_t*, uint8_t*) = kHasAvx2 ? avx2::CopyPixels
                                                                : portable::CopyPixels;

}  // namespace parallel_pool::atari
