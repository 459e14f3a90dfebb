// NumPy's default generator: SeedSequence -> PCG64, and the distributions of
// numpy.random.Generator, so that an env draws the same numbers as its Python reference with the
// same seed. Distributions of std:: would not do: they differ between standard libraries.
// Compared with NumPy 2.4 by ==, in random_test.py.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace parallel_pool {

// Spreads a seed over a pool of four words (O'Neill's seed_seq_fe, as in
// numpy.random.SeedSequence).
class SeedSequence {
 public:
  explicit SeedSequence(uint64_t seed) {
    const std::array<uint32_t, 4> entropy{static_cast<uint32_t>(seed),
                                          static_cast<uint32_t>(seed >> 32), 0, 0};
    for (int i = 0; i < 4; ++i) pool_[i] = Hash(entropy[i]);
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        if (from != to) pool_[to] = Mix(pool_[to], Hash(pool_[from]));
      }
    }
  }

  // The first four 64-bit words of generate_state.
  std::array<uint64_t, 4> Generate() const {
    uint32_t constant = 0x8b51f9dd;
    std::array<uint64_t, 4> words{};
    for (int i = 0; i < 8; ++i) {
      uint32_t value = pool_[i % 4] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      value ^= value >> 16;
      words[i / 2] |= static_cast<uint64_t>(value) << (32 * (i % 2));
    }
    return words;
  }

 private:
  uint32_t Hash(uint32_t value) {
    value ^= constant_;
    constant_ *= 0x931e8875;
    value *= constant_;
    return value ^ (value >> 16);
  }
  static uint32_t Mix(uint32_t x, uint32_t y) {
    const uint32_t mixed = 0xca01f9dd * x - 0x4973f715 * y;
    return mixed ^ (mixed >> 16);
  }

  std::array<uint32_t, 4> pool_;
  uint32_t constant_ = 0x43b0d7e5;
};

// The generator numpy.random.default_rng(seed); each env has one. Plain data: a copy continues the
// same stream.
class Rng {
 public:
  explicit Rng(uint64_t seed) {
    const auto [state_high, state_low, stream_high, stream_low] = SeedSequence(seed).Generate();
    increment_ = (Wide(stream_high, stream_low) << 1) | 1;
    Advance();
    state_ += Wide(state_high, state_low);
    Advance();
  }

  uint64_t Next64() {
    Advance();
    const auto folded = static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_);
    const unsigned turn = static_cast<unsigned>(state_ >> 122);
    return (folded >> turn) | (folded << (-turn & 63));
  }

  // The members that hold the state (see save.h).
  auto Saved() { return std::tie(state_, increment_, has_half_, half_); }

  // 32 random bits: the halves of one 64-bit draw, the lower half first.
  uint32_t Next32() {
    if (has_half_) {
      has_half_ = false;
      return half_;
    }
    const uint64_t whole = Next64();
    has_half_ = true;
    half_ = static_cast<uint32_t>(whole >> 32);
    return static_cast<uint32_t>(whole);
  }

  // Generator.random(): a number in [0, 1), a multiple of 2^-53.
  double Random() { return static_cast<double>(Next64() >> 11) * 0x1.0p-53; }

  // Generator.uniform(low, high): a number in [low, high).
  double Uniform(double low, double high) { return low + (high - low) * Random(); }

  // Generator.integers(low, high): low <= n < high, for spans below 2^32 (Lemire's method).
  int64_t Integers(int64_t low, int64_t high) {
    const auto span = static_cast<uint32_t>(high - low);
    if (span == 1) return low;
    uint64_t product = static_cast<uint64_t>(Next32()) * span;
    if (static_cast<uint32_t>(product) < span) {
      const uint32_t threshold = -span % span;
      while (static_cast<uint32_t>(product) < threshold) {
        product = static_cast<uint64_t>(Next32()) * span;
      }
    }
    return low + static_cast<int64_t>(product >> 32);
  }

  // Generator.choice(n, x.size(), replace=False): different integers below n, by Floyd's method
  // with a shuffle. For n up to 10,000, or x.size() up to n / 50: NumPy shuffles all n otherwise.
  template <class T>
  void Choose(int64_t n, std::span<T> x) {
    const int64_t first = n - static_cast<int64_t>(x.size());
    for (size_t k = 0; k < x.size(); ++k) {
      const auto last = static_cast<T>(first + static_cast<int64_t>(k));
      const auto drawn = static_cast<T>(Integers(0, last + 1));
      const auto taken = x.first(k);
      x[k] = std::find(taken.begin(), taken.end(), drawn) == taken.end() ? drawn : last;
    }
    for (size_t i = x.size(); i-- > 1;) {  // not Shuffle, which draws other integers
      std::swap(x[i], x[Integers(0, static_cast<int64_t>(i) + 1)]);
    }
  }

  // Generator.shuffle(x) of a list or an array: swaps each element, from the last to the second,
  // with one that is not behind it. Its integers are masked and drawn again where they are too
  // large.
  template <class T>
  void Shuffle(std::span<T> x) {
    for (auto i = static_cast<uint32_t>(x.size()); i-- > 1;) {
      const uint32_t mask = ~uint32_t{0} >> std::countl_zero(i);
      uint32_t j = Next32() & mask;
      while (j > i) j = Next32() & mask;
      std::swap(x[i], x[j]);
    }
  }

  // Generator.permutation(x.size()): 0 .. x.size() - 1 in random order.
  template <class T>
  void Permutation(std::span<T> x) {
    std::iota(x.begin(), x.end(), T{0});
    Shuffle(x);
  }

 private:
  __extension__ using uint128 = unsigned __int128;

  static constexpr uint128 Wide(uint64_t high, uint64_t low) {
    return (static_cast<uint128>(high) << 64) | low;
  }
  void Advance() {
    state_ = state_ * Wide(2549297995355413924u, 4865540595714422341u) + increment_;
  }

  uint128 state_ = 0;
  uint128 increment_ = 0;
  bool has_half_ = false;
  uint32_t half_ = 0;
};

}  // namespace parallel_pool
