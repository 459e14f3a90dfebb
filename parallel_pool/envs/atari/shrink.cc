// 5 input rows make 2 output rows and 40 input columns make 21 output columns. With weights in
// units of 1/2 row and 1/21 column every output is an integer sum over 200. OpenCV computes in
// float; its result is the rounded quotient, except where the quotient is a half. There the last
// bit of its float sum decides, so that pixel is computed again with OpenCV's formula.
#include "parallel_pool/envs/atari/shrink.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "parallel_pool/core/instruction_sets.h"
#include "parallel_pool/envs/atari/shrink_taps.h"

#if defined(__x86_64__) && !defined(PARALLEL_POOL_PORTABLE)
#define PARALLEL_POOL_AVX512 1
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(PARALLEL_POOL_PORTABLE)
#define PARALLEL_POOL_NEON 1
#include <arm_neon.h>
#endif

namespace parallel_pool::atari {
namespace {

constexpr int kGroups = kShrinkFromHeight / 5;  // of 5 input and 2 output rows

using Row = std::array<uint8_t, kScreenWidth>;

// Padded to whole vectors.
constexpr int kOutputs = 96;
using Columns = std::array<uint16_t, 192>;       // sums along y, at most 5 * 255
using Outputs = std::array<uint16_t, kOutputs>;  // sums along x of these, at most 200 * 255

// Writes the larger gray value of each pixel in one row of two screens.
[[gnu::always_inline]] inline void MakeGray(const uint8_t* newer, const uint8_t* older,
                                            const uint8_t* gray, uint8_t* out) {
  if (newer == older || std::memcmp(newer, older, kScreenWidth) == 0) {
    for (int x = 0; x < kScreenWidth; ++x) out[x] = gray[newer[x]];
  } else {
    for (int x = 0; x < kScreenWidth; ++x) out[x] = std::max(gray[newer[x]], gray[older[x]]);
  }
}

// Weighted sums along x of `column`, which are at most 200 * 255.
[[gnu::always_inline]] inline void SumColumns(const Columns& column, Outputs& sum) {
  for (int x = 0; x < kShrinkTo; ++x) {
    const Taps& tap = kColumns[x];
    const uint16_t* in = column.data() + tap.first;
    sum[x] = static_cast<uint16_t>(in[0] * tap.weight[0] + in[1] * tap.weight[1] +
                                   in[2] * tap.weight[2]);
  }
}

#if PARALLEL_POOL_AVX512 || PARALLEL_POOL_NEON

// `size` outputs: the input, of those from `first` on, and the weight of each tap.
template <int size>
struct alignas(2 * size) Block {
  std::array<std::array<uint16_t, size>, kMaxTaps> index{}, weight{};
  int first = 0;
};

template <int size>
constexpr auto MakeBlocks() {
  std::array<Block<size>, (kShrinkTo + size - 1) / size> blocks{};
  for (int x = 0; x < kShrinkTo; ++x) {
    Block<size>& block = blocks[x / size];
    if (x % size == 0) block.first = kColumns[x].first;
    for (int k = 0; k < kMaxTaps; ++k) {
      block.index[k][x % size] = static_cast<uint16_t>(kColumns[x].first + k - block.first);
      block.weight[k][x % size] = static_cast<uint16_t>(kColumns[x].weight[k]);
    }
  }
  return blocks;
}

#endif

#if PARALLEL_POOL_AVX512

// The same two functions for processors that look up 64 bytes at once.
const bool kHasLookUps = Has(InstructionSet::kAvx512Vbmi);

#define PARALLEL_POOL_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

PARALLEL_POOL_TARGET void MakeGrayByLookUps(const uint8_t* newer, const uint8_t* older,
                                            const uint8_t* gray, uint8_t* out) {
  __m512i table[4];
  for (int i = 0; i < 4; ++i) table[i] = _mm512_loadu_si512(gray + 64 * i);
  const auto look_up = [&table](__m512i index) PARALLEL_POOL_TARGET {
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index),
                                  _mm512_permutex2var_epi8(table[0], index, table[1]),
                                  _mm512_permutex2var_epi8(table[2], index, table[3]));
  };
  for (int x : {0, 64, kScreenWidth - 64}) {
    _mm512_storeu_si512(out + x, _mm512_max_epu8(look_up(_mm512_loadu_si512(newer + x)),
                                                 look_up(_mm512_loadu_si512(older + x))));
  }
}

constexpr auto kBlocks = MakeBlocks<32>();

PARALLEL_POOL_TARGET void SumColumnsByLookUps(const Columns& column, Outputs& sum) {
  for (size_t b = 0; b < kBlocks.size(); ++b) {
    const Block<32>& block = kBlocks[b];
    const __m512i low = _mm512_loadu_si512(column.data() + block.first);
    const __m512i high = _mm512_loadu_si512(column.data() + block.first + 32);
    __m512i total = _mm512_setzero_si512();
    for (int k = 0; k < kMaxTaps; ++k) {
      const __m512i taken =
          _mm512_permutex2var_epi16(low, _mm512_load_si512(block.index[k].data()), high);
      const __m512i weight = _mm512_load_si512(block.weight[k].data());
      total = _mm512_add_epi16(total, _mm512_mullo_epi16(taken, weight));
    }
    _mm512_storeu_si512(sum.data() + 32 * b, total);
  }
}

#elif PARALLEL_POOL_NEON

// The same two functions for 64-bit ARM, which looks up 16 bytes at once in 64.
constexpr bool kHasLookUps = true;

[[gnu::always_inline]] inline uint8x16_t LookUp(const std::array<uint8x16x4_t, 4>& table,
                                                uint8x16_t index) {
  // An index that is too large gives 0, or keeps the value that was there.
  uint8x16_t values = vqtbl4q_u8(table[0], index);
  values = vqtbx4q_u8(values, table[1], vsubq_u8(index, vdupq_n_u8(64)));
  values = vqtbx4q_u8(values, table[2], vsubq_u8(index, vdupq_n_u8(128)));
  return vqtbx4q_u8(values, table[3], vsubq_u8(index, vdupq_n_u8(192)));
}

void MakeGrayByLookUps(const uint8_t* newer, const uint8_t* older, const uint8_t* gray,
                       uint8_t* out) {
  std::array<uint8x16x4_t, 4> table;
  for (int i = 0; i < 4; ++i) table[i] = vld1q_u8_x4(gray + 64 * i);
  for (int x = 0; x < kScreenWidth; x += 16) {
    vst1q_u8(out + x,
             vmaxq_u8(LookUp(table, vld1q_u8(newer + x)), LookUp(table, vld1q_u8(older + x))));
  }
}

constexpr auto kBlocks = [] {
  auto blocks = MakeBlocks<8>();
  for (auto& block : blocks) {
    for (auto& row : block.index) {
      for (uint16_t& index : row) index = static_cast<uint16_t>(2 * index | (2 * index + 1) << 8);
    }
  }
  return blocks;  // with the indices of both bytes of an input
}();

void SumColumnsByLookUps(const Columns& column, Outputs& sum) {
  for (size_t b = 0; b < kBlocks.size(); ++b) {
    const Block<8>& block = kBlocks[b];
    const auto* const bytes = reinterpret_cast<const uint8_t*>(column.data() + block.first);
    const uint8x16x4_t inputs = vld1q_u8_x4(bytes);
    uint16x8_t total = vdupq_n_u16(0);
    for (int k = 0; k < kMaxTaps; ++k) {
      const auto index = vreinterpretq_u8_u16(vld1q_u16(block.index[k].data()));
      const auto taken = vreinterpretq_u16_u8(vqtbl4q_u8(inputs, index));
      total = vmlaq_u16(total, taken, vld1q_u16(block.weight[k].data()));
    }
    vst1q_u16(sum.data() + 8 * b, total);
  }
}

#else

constexpr bool kHasLookUps = false;
constexpr auto MakeGrayByLookUps = MakeGray;
constexpr auto SumColumnsByLookUps = SumColumns;

#endif

// Makes one output row from its three gray rows; true if a pixel of it was a tie.
[[gnu::always_inline]] inline bool MakeRow(const std::array<const uint8_t*, kMaxTaps>& rows,
                                           const Taps& tap_y, uint8_t* out) {
  Columns column;
  const auto [a, b, c] = tap_y.weight;
  for (int x = 0; x < kScreenWidth; ++x) {
    column[x] = static_cast<uint16_t>(a * rows[0][x] + b * rows[1][x] + c * rows[2][x]);
  }
  Outputs sum;
  kHasLookUps ? SumColumnsByLookUps(column, sum) : SumColumns(column, sum);
  bool tie = false;
  for (int x = 0; x < kShrinkTo; ++x) {
    const uint32_t raised = sum[x] + kWhole / 2u;
    out[x] = static_cast<uint8_t>(((raised >> 3) * 10486) >> 18);  // raised / 200, exact here
    tie |= out[x] * kWhole == raised;
  }
  if (!tie) return false;
  for (int x = 0; x < kShrinkTo; ++x) {
    if (sum[x] % kWhole == kWhole / 2) out[x] = FloatPixel(rows, tap_y, kColumns[x]);
  }
  return true;
}

bool SameAsAbove(const uint8_t* row) {
  return std::memcmp(row, row - kScreenWidth, kScreenWidth) == 0;
}

}  // namespace

PARALLEL_POOL_CLONES("arch=x86-64-v4", "arch=x86-64-v3", "arch=x86-64-v2", "default")
void Shrink(const uint8_t* newer, const uint8_t* older, const uint8_t* gray, uint8_t* out) {
  std::array<Row, 5> made;               // the gray rows of this group that differ from the last
  std::array<const uint8_t*, 5> rows{};  // the gray rows of this group
  Row above;                             // the last gray row of the group before
  bool tied = false;  // the last output row has ties: OpenCV may round the same pixels otherwise
  int run = 0;        // the number of equal rows up to here
  for (int group = 0; group < kGroups; ++group) {
    for (int k = 0; k < 5; ++k, newer += kScreenWidth, older += kScreenWidth) {
      const bool first = group == 0 && k == 0;
      if (!first && SameAsAbove(newer) && (newer == older || SameAsAbove(older))) {
        rows[k] = k > 0 ? rows[k - 1] : above.data();
        ++run;
      } else {
        uint8_t* row = made[k].data();
        kHasLookUps ? MakeGrayByLookUps(newer, older, gray, row)
                    : MakeGray(newer, older, gray, row);
        rows[k] = row;
        run = 1;
      }
    }
    uint8_t* upper = out + 2 * group * kShrinkTo;
    uint8_t* lower = upper + kShrinkTo;
    // An output row spans up to 3 input rows: over 8 equal rows, three output rows are equal.
    if (run >= 8 && !tied) {
      std::memcpy(upper, upper - kShrinkTo, kShrinkTo);
      std::memcpy(lower, upper, kShrinkTo);
    } else {
      MakeRow({rows[0], rows[1], rows[2]}, kRows[2 * group], upper);
      tied = MakeRow({rows[2], rows[3], rows[4]}, kRows[2 * group + 1], lower);
    }
    if (rows[4] != above.data()) std::memcpy(above.data(), rows[4], kScreenWidth);
  }
}

}  // namespace parallel_pool::atari
