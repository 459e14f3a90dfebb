#include "parallel_pool/core/engine/action_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace parallel_pool {
namespace {

constexpr int64_t kBlock = 512;  // elements

// Eight bytes, each less than 2^bits, as the lowest 8 * bits bits; byte 0 becomes the lowest.
template <int kBits>
uint64_t Close(uint64_t word) {
  if constexpr (kBits < 8) {
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
void PackAs(const T* from, int64_t count, int64_t low, char* to) {
  uint8_t block[kBlock];
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t n = std::min(kBlock, count - first);
    for (int64_t i = 0; i < n; ++i) {
      block[i] = static_cast<uint8_t>(static_cast<int64_t>(from[first + i]) - low);
    }
    std::fill(block + n, block + (n + 7) / 8 * 8, uint8_t{0});
    for (int64_t i = 0; i < n; i += 8, to += kBits) {
      uint64_t word;
      std::memcpy(&word, block + i, sizeof word);
      word = Close<kBits>(word);
      std::memcpy(to, &word, kBits);
    }
  }
}

// Calls f with a constant for the number of bits.
template <class F>
void WithBits(int bits, const F& f) {
  if (bits == 1) return f(std::integral_constant<int, 1>());
  if (bits == 2) return f(std::integral_constant<int, 2>());
  if (bits == 4) return f(std::integral_constant<int, 4>());
  f(std::integral_constant<int, 8>());
}

}  // namespace

ActionBits::ActionBits(const ActionStore& actions, size_t k, int num_envs)
    : dtype_(actions.arrays()[k].dtype), item_bytes_(ItemBytes(dtype_)) {
  if (dtype_ == DType::kFloat32 || dtype_ == DType::kFloat64) return;
  const Column& array = actions.arrays()[k];
  double low = INFINITY, high = -INFINITY;
  for (int32_t env = 0; env < num_envs; ++env) {
    for (int32_t player = 0; player < std::max(array.players, 1); ++player) {
      const Column& own = actions.allowed(k, player, env);
      for (const double bound : own.low) low = std::min(low, bound);
      for (const double bound : own.high) high = std::max(high, bound);
      if (&own == &array) break;
    }
    if (&actions.allowed(k, 0, env) == &array) break;
  }
  if (!(high - low < 256) || std::abs(low) > 1e15) return;
  low_ = static_cast<int64_t>(std::ceil(low));
  const double values = std::floor(high) - static_cast<double>(low_) + 1;
  bits_ = values <= 2 ? 1 : values <= 4 ? 2 : values <= 16 ? 4 : 8;
}

void ActionBits::Pack(const std::byte* elements, int64_t count, std::string* out) const {
  const size_t begin = out->size();
  out->resize(begin + BytesOf(count));
  char* const to = out->data() + begin;
  if (bits_ == 0) {
    std::memcpy(to, elements, count * item_bytes_);
    return;
  }
  WithType(dtype_, [&]<class T>(T*) {
    WithBits(bits_, [&](auto bits) {
      PackAs<bits()>(reinterpret_cast<const T*>(elements), count, low_, to);
    });
  });
}

void ActionBits::Unpack(std::string_view bytes, int64_t count, std::byte* elements) const {
  if (bits_ == 0) {
    std::memcpy(elements, bytes.data(), count * item_bytes_);
    return;
  }
  WithType(dtype_, [&]<class T>(T*) {
    auto* const to = reinterpret_cast<T*>(elements);
    for (int64_t i = 0; i < count; ++i) {
      const auto byte = static_cast<uint8_t>(bytes[i * bits_ / 8]);
      to[i] = static_cast<T>((byte >> i * bits_ % 8 & ((1 << bits_) - 1)) + low_);
    }
  });
}

}  // namespace parallel_pool
