#include "parallel_pool/core/engine/bits.h"

#include <algorithm>
#include <cstring>

namespace parallel_pool {
namespace {

constexpr int64_t kBlock = 64;  // elements: GCC wants a constant number

// Eight bytes, each less than 2^bits, as the lowest 8 * bits bits; byte 0 becomes the lowest.
template <int kBits>
uint64_t Close(uint64_t word) {
  if constexpr (kBits == 1) {
    word = word * 0x0102040810204080 >> 56;  // byte i, times 2^(56 - 7 i), becomes bit 56 + i
  } else if constexpr (kBits < 8) {
    word |= word >> (8 - kBits);
    word &= ((uint64_t{1} << 2 * kBits) - 1) * 0x0001000100010001;
    word |= word >> 2 * (8 - kBits);
    word &= ((uint64_t{1} << 4 * kBits) - 1) * 0x0000000100000001;
    word |= word >> 4 * (8 - kBits);
    word &= (uint64_t{1} << 8 * kBits) - 1;
  }
  return word;
}

template <int kBits, class T>
void PackAs(const T* from, int64_t count, T low, char* to) {
  T rest[kBlock];
  uint8_t block[kBlock];
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t n = std::min(kBlock, count - first);
    const T* elements = from + first;
    if (n < kBlock) {
      std::fill(std::copy_n(elements, n, rest), rest + kBlock, low);
      elements = rest;
    }
    for (int64_t i = 0; i < kBlock; ++i) block[i] = static_cast<uint8_t>(elements[i] - low);
    for (int64_t i = 0; i < n; i += 8, to += kBits) {
      uint64_t word;
      std::memcpy(&word, block + i, sizeof word);
      word = Close<kBits>(word);
      std::memcpy(to, &word, kBits);
    }
  }
}

}  // namespace

template <class T>
void PackBits(const T* elements, int64_t count, T low, int bits, char* to) {
  if (bits == 1) return PackAs<1>(elements, count, low, to);
  if (bits == 2) return PackAs<2>(elements, count, low, to);
  if (bits == 4) return PackAs<4>(elements, count, low, to);
  PackAs<8>(elements, count, low, to);
}

template void PackBits(const bool*, int64_t, bool, int, char*);
template void PackBits(const int8_t*, int64_t, int8_t, int, char*);
template void PackBits(const uint8_t*, int64_t, uint8_t, int, char*);
template void PackBits(const int16_t*, int64_t, int16_t, int, char*);
template void PackBits(const int32_t*, int64_t, int32_t, int, char*);
template void PackBits(const int64_t*, int64_t, int64_t, int, char*);

bool AreCounted(std::span<const int32_t> numbers) {
  int32_t differs = 0;
  for (int32_t i = 0; const int32_t number : numbers) differs |= number ^ i++;
  return differs == 0;
}

}  // namespace parallel_pool
