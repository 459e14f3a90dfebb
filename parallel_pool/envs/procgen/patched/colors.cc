#include "parallel_pool/envs/procgen/patched/colors.h"

#include <immintrin.h>

namespace parallel_pool::procgen {

namespace {

__attribute__((target("avx"))) __m128i Load(const uint32_t* pixels) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels));
}

__attribute__((target("avx"))) void Store(__m128i bytes, uint8_t* out) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
}

}  // namespace

// 16 pixels are 4 times 12 bytes, which are 3 times 16.
__attribute__((target("avx"))) void WriteColors(const uint32_t* pixels, int count, uint8_t* rgb) {
  const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  for (int i = 0; i < count; i += 16, rgb += 48) {
    const __m128i a = _mm_shuffle_epi8(Load(pixels + i), order);
    const __m128i b = _mm_shuffle_epi8(Load(pixels + i + 4), order);
    const __m128i c = _mm_shuffle_epi8(Load(pixels + i + 8), order);
    const __m128i d = _mm_shuffle_epi8(Load(pixels + i + 12), order);
    Store(_mm_or_si128(a, _mm_slli_si128(b, 12)), rgb);
    Store(_mm_or_si128(_mm_srli_si128(b, 4), _mm_slli_si128(c, 8)), rgb + 16);
    Store(_mm_or_si128(_mm_srli_si128(c, 8), _mm_slli_si128(d, 4)), rgb + 32);
  }
}

// Each 4 pixels become 4 blues, 4 greens, 4 reds; a transposition then joins those of 16.
__attribute__((target("avx"))) void WritePlanes(const uint32_t* pixels, int count,
                                                uint8_t* planes) {
  const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (int i = 0; i < count; i += 16) {
    const __m128i a = _mm_shuffle_epi8(Load(pixels + i), order);
    const __m128i b = _mm_shuffle_epi8(Load(pixels + i + 4), order);
    const __m128i c = _mm_shuffle_epi8(Load(pixels + i + 8), order);
    const __m128i d = _mm_shuffle_epi8(Load(pixels + i + 12), order);
    const __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    const __m128i red_ab = _mm_unpackhi_epi32(a, b), red_cd = _mm_unpackhi_epi32(c, d);
    Store(_mm_unpacklo_epi64(red_ab, red_cd), planes + i);
    Store(_mm_unpackhi_epi64(ab, cd), planes + count + i);
    Store(_mm_unpacklo_epi64(ab, cd), planes + 2 * count + i);
  }
}

}  // namespace parallel_pool::procgen
