// A set of degrees of freedom (dofs), as bits.
//
// Each function is inlined, so that files for several instruction sets share none.
#pragma once

#include <stdint.h>

#define PARALLEL_POOL_INLINED [[gnu::always_inline]] inline

namespace parallel_pool::mujoco::lanes {

struct DofSet {
  uint64_t low, high;  // dofs 0 to 63, and from 64

  PARALLEL_POOL_INLINED bool empty() const { return (low | high) == 0; }
  PARALLEL_POOL_INLINED bool Has(int v) const { return (v < 64 ? low : high) >> (v & 63) & 1; }
  PARALLEL_POOL_INLINED void Add(int v) { (v < 64 ? low : high) |= uint64_t{1} << (v & 63); }
  // Whether it has one of the dofs v to v + 3. v: a multiple of 4.
  PARALLEL_POOL_INLINED bool HasOfFour(int v) const {
    return ((v < 64 ? low : high) >> (v & 63) & 15) != 0;
  }
  // The lowest dof and the highest, of a set that is not empty.
  PARALLEL_POOL_INLINED int First() const {
    return low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high);
  }
  PARALLEL_POOL_INLINED int Last() const {
    return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
  }
  // The number of dofs below v.
  PARALLEL_POOL_INLINED int Rank(int v) const { return From(0, v).Size(); }
  PARALLEL_POOL_INLINED int Size() const {
    return __builtin_popcountll(low) + __builtin_popcountll(high);
  }
  // The dofs from `begin` to begin + n, counted from begin.
  PARALLEL_POOL_INLINED DofSet From(int begin, int n) const {
    if (high == 0 && n < 64) return {low >> begin & ((uint64_t{1} << n) - 1), 0};
    __extension__ using Word = unsigned __int128;
    const Word bits = (Word{high} << 64 | low) >> begin & ((Word{1} << n) - 1);
    return {static_cast<uint64_t>(bits), static_cast<uint64_t>(bits >> 64)};
  }
  // Calls f(dof) for each, from the lowest.
  template <class F>
  PARALLEL_POOL_INLINED void ForEach(const F& f) const {
    for (uint64_t left = low; left != 0; left &= left - 1) f(__builtin_ctzll(left));
    for (uint64_t left = high; left != 0; left &= left - 1) f(64 + __builtin_ctzll(left));
  }

  PARALLEL_POOL_INLINED friend bool operator==(DofSet a, DofSet b) {
    return a.low == b.low && a.high == b.high;
  }
  PARALLEL_POOL_INLINED friend DofSet operator|(DofSet a, DofSet b) {
    return {a.low | b.low, a.high | b.high};
  }
  PARALLEL_POOL_INLINED friend DofSet operator^(DofSet a, DofSet b) {
    return {a.low ^ b.low, a.high ^ b.high};
  }
  PARALLEL_POOL_INLINED friend DofSet operator&(DofSet a, DofSet b) {
    return {a.low & b.low, a.high & b.high};
  }
};

}  // namespace parallel_pool::mujoco::lanes

#undef PARALLEL_POOL_INLINED
