// NumPy's legacy generator: numpy.random.RandomState, the Mersenne Twister MT19937 (Matsumoto and
// Nishimura 1998) with Marsaglia's polar method for normal numbers. Envs whose Python reference
// draws from a RandomState use it in place of Rng, so that they draw the same numbers with the same
// seed. Compared with NumPy 2.4 by ==, in random_state_test.py.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace parallel_pool {

// Plain data: a copy continues the same stream.
class RandomState {
 public:
  // RandomState(seed). NumPy takes such a number below 2^32 only; a larger one is
  // RandomState([seed % 2^32, seed >> 32]), so that no two seeds have one stream.
  explicit RandomState(uint64_t seed = 0) {
    const auto low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
    if (high == 0) {
      Fill(low);
    } else {
      FillFrom({low, high});
    }
  }

  // The members that hold the state (see save.h).
  auto Saved() { return std::tie(words_, used_, has_normal_, normal_); }

  uint32_t Next32() {
    if (used_ == kSize) Refill();
    uint32_t y = words_[used_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >> 18);
  }

  // random_sample() and rand(): a number in [0, 1), a multiple of 2^-53.
  double Random() {
    const uint32_t high = Next32() >> 5, low = Next32() >> 6;
    return (high * 0x1p26 + low) * 0x1p-53;
  }

  // uniform(low, high)
  double Uniform(double low, double high) { return low + (high - low) * Random(); }

  // randn(). Each pair of uniform numbers makes two normal numbers; the second one is for the next
  // call, also across episodes.
  double Normal() {
    if (std::exchange(has_normal_, false)) return std::exchange(normal_, 0.0);
    double x, y, r2;
    do {
      x = 2 * Random() - 1;
      y = 2 * Random() - 1;
      r2 = x * x + y * y;
    } while (r2 >= 1 || r2 == 0);
    const double scale = std::sqrt(-2 * std::log(r2) / r2);
    normal_ = scale * x;
    has_normal_ = true;
    return scale * y;
  }

  // randint(n), for n from 1 to 2^32: rejection below the smallest mask that covers n - 1.
  uint32_t Integer(uint64_t n) {
    const auto most = static_cast<uint32_t>(n - 1);
    if (most == 0) return 0;
    const uint32_t mask = ~uint32_t{0} >> __builtin_clz(most);
    for (;;) {
      const uint32_t drawn = Next32() & mask;
      if (drawn <= most) return drawn;
    }
  }

  // choice(n, p=p): the number of entries of the normalized cumulative sums that a uniform number
  // is not below.
  template <size_t n>
  int Choice(const std::array<double, n>& p) {
    std::array<double, n> sums{};
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sums[i] = sum += p[i];
    const double drawn = Random();
    int chosen = 0;
    while (chosen + 1 < static_cast<int>(n) && sums[chosen] / sum <= drawn) ++chosen;
    return chosen;
  }

 private:
  static constexpr uint32_t kSize = 624, kMiddle = 397;

  // The generator's own seeding (init_genrand), which RandomState uses for one number.
  void Fill(uint32_t seed) {
    words_[0] = seed;
    for (uint32_t i = 1; i < kSize; ++i) words_[i] = 1812433253 * Folded(words_[i - 1]) + i;
  }
  // Its seeding by several numbers (init_by_array).
  void FillFrom(const std::array<uint32_t, 2>& key) {
    Fill(19650218);
    uint32_t at = 1;
    const auto mix = [&](uint32_t factor, uint32_t more) {
      words_[at] = (words_[at] ^ (Folded(words_[at - 1]) * factor)) + more;
      if (++at < kSize) return;
      words_[0] = words_[kSize - 1];
      at = 1;
    };
    for (uint32_t i = 0; i < kSize; ++i) mix(1664525, key[i % 2] + i % 2);
    for (uint32_t i = 1; i < kSize; ++i) mix(1566083941, -at);
    words_[0] = 0x80000000;
  }
  static uint32_t Folded(uint32_t word) { return word ^ (word >> 30); }

  void Refill() {
    for (uint32_t i = 0; i < kSize; ++i) {
      const uint32_t y = (words_[i] & 0x80000000) | (words_[(i + 1) % kSize] & 0x7fffffff);
      const uint32_t twist = (y & 1) != 0 ? 0x9908b0df : 0;
      words_[i] = words_[(i + kMiddle) % kSize] ^ (y >> 1) ^ twist;
    }
    used_ = 0;
  }

  std::array<uint32_t, kSize> words_{};
  uint32_t used_ = kSize;    // the words that were drawn
  bool has_normal_ = false;  // whether `normal_` is the next normal number
  double normal_ = 0;
};

}  // namespace parallel_pool
