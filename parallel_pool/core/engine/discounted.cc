#include "parallel_pool/core/engine/discounted.h"

#include <bit>

#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/instruction_sets.h"

#if defined(__x86_64__)
#include <immintrin.h>
// GCC 12 takes the undefined halves of its own intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define PARALLEL_POOL_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi,bmi2,fma")))
#endif

namespace parallel_pool {
namespace {

constexpr int32_t kFirst = BatchLayout::kFirst;

// x, or 0: without a branch, as ends of episodes cannot be predicted.
float Where(bool keep, float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & -static_cast<uint32_t>(keep));
}

// In Gymnasium's precision: float32 before the product with an integer, then float64.
template <class T>
int64_t AddSome(const RewardRows<T>& rows, int64_t first, int64_t last, float gamma, float* sums,
                float* counted) {
  int64_t n = 0;
  for (int64_t row = first; row < last; ++row) {
    float& sum = sums[rows.env_id[row]];
    const bool begins = rows.step_type[row] == kFirst;
    const double before = Where(!rows.terminated[row], sum * gamma);
    const auto after = static_cast<float>(before + rows.reward[row]);
    counted[n] = after;
    n += !begins;
    sum = Where(!(begins | rows.terminated[row] | rows.truncated[row]), after);
  }
  return n;
}

#ifdef PARALLEL_POOL_AVX512
PARALLEL_POOL_AVX512 __m256d Doubles(const float* from) {
  return _mm256_cvtps_pd(_mm_loadu_ps(from));
}
PARALLEL_POOL_AVX512 __m256d Doubles(const double* from) {
  return _mm256_loadu_pd(from);
}

PARALLEL_POOL_AVX512 __mmask8 Flags(const bool* from) {
  const __m128i bytes = _mm_loadu_si64(from);
  return _mm_test_epi8_mask(bytes, bytes);
}

// The same for 8 rows at a time whose envs follow each other. Parts of 32 bytes: with 64, the
// processor's clock goes down.
template <class T>
PARALLEL_POOL_AVX512 int64_t AddEights(const RewardRows<T>& rows, float gamma, float* sums,
                                       float* counted) {
  const __m256i steps = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i first = _mm256_set1_epi32(kFirst);
  int64_t n = 0, row = 0;
  for (; row + 8 <= rows.n; row += 8) {
    const int32_t env = rows.env_id[row];
    const __m256i expected = _mm256_add_epi32(_mm256_set1_epi32(env), steps);
    const __m256i envs = _mm256_loadu_epi32(rows.env_id + row);
    if (_mm256_cmpneq_epi32_mask(envs, expected) != 0) {
      _mm256_zeroupper();  // otherwise the SSE code that follows is several times slower
      n += AddSome(rows, row, row + 8, gamma, sums, counted + n);
      continue;
    }
    const __m256i kinds = _mm256_loadu_epi32(rows.step_type + row);
    const __mmask8 begins = _mm256_cmpeq_epi32_mask(kinds, first);
    const __mmask8 terminated = Flags(rows.terminated + row);
    const __mmask8 ends = begins | terminated | Flags(rows.truncated + row);
    const __m256 before =
        _mm256_maskz_mul_ps(~terminated, _mm256_loadu_ps(sums + env), _mm256_set1_ps(gamma));
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(before));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(before, 1));
    const T* reward = rows.reward + row;
    const __m256 after = _mm256_set_m128(_mm256_cvtpd_ps(_mm256_add_pd(high, Doubles(reward + 4))),
                                         _mm256_cvtpd_ps(_mm256_add_pd(low, Doubles(reward))));
    _mm256_storeu_ps(sums + env, _mm256_maskz_mov_ps(~ends, after));
    _mm256_storeu_ps(counted + n, _mm256_maskz_compress_ps(~begins, after));
    n += 8 - std::popcount(begins);
  }
  _mm256_zeroupper();
  return n + AddSome(rows, row, rows.n, gamma, sums, counted + n);
}
#endif

}  // namespace

template <class T>
int64_t AddRewards(const RewardRows<T>& rows, float gamma, float* sums, float* counted) {
#ifdef PARALLEL_POOL_AVX512
  static const bool has_avx512 = Has(InstructionSet::kAvx512);
  if (has_avx512) return AddEights(rows, gamma, sums, counted);
#endif
  return AddSome(rows, 0, rows.n, gamma, sums, counted);
}

template int64_t AddRewards(const RewardRows<float>&, float, float*, float*);
template int64_t AddRewards(const RewardRows<double>&, float, float*, float*);

}  // namespace parallel_pool
