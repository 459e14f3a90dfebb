// Number for x86-64: one vector register, or a double. Included by lane.h.
#pragma once

#include <immintrin.h>
#include <math.h>

#include "parallel_pool/envs/mujoco/lanes/real.h"

namespace parallel_pool::mujoco::lanes {

template <int kLanes>
struct NumberOf {
  typedef double Type __attribute__((vector_size(8 * kLanes)));
};
template <>
struct NumberOf<1> {
  using Type = double;
};
template <int kLanes>
using Number = typename NumberOf<kLanes>::Type;

// The result of a comparison: -1 or 0 in each lane; a bool for one lane.
template <class V>
using Mask = decltype(V{} < V{});

template <class V>
inline constexpr int kLanesOf = sizeof(V) / sizeof(double);

// The same number in each lane.
template <class V>
inline V All(double x) {
  if constexpr (kLanesOf<V> == 1) {
    return x;
  } else {
    return x - V{};  // x - 0, not x + 0, which would lose the sign of -0
  }
}

template <class V>
inline V Pick(Mask<V> mask, V yes, V no) {
  return mask ? yes : no;
}

// The lanes of a mask as bits, lane 0 lowest; and back.
template <class V>
inline unsigned Bits(Mask<V> mask) {
  if constexpr (kLanesOf<V> == 1) {
    return mask;
  } else if constexpr (kLanesOf<V> == 4) {
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
  } else {
    unsigned bits = 0;
    for (int k = 0; k < kLanesOf<V>; ++k) bits |= (mask[k] ? 1u : 0u) << k;
    return bits;
  }
}
template <class V>
inline Mask<V> MaskOf(unsigned bits) {
  if constexpr (kLanesOf<V> == 1) {
    return bits & 1;
  } else {
    Mask<V> mask{};
    for (int k = 0; k < kLanesOf<V>; ++k) mask[k] = bits >> k & 1 ? -1 : 0;
    return mask;
  }
}
// The mask of one lane of several.
template <class V>
[[gnu::always_inline]] inline Mask<V> OnlyLane(int lane) {
  Mask<V> mask{};
  for (int k = 0; k < kLanesOf<V>; ++k) mask[k] = -(k == lane);
  return mask;
}

template <class V>
inline V Sqrt(V v) {
  if constexpr (kLanesOf<V> == 1) {
    return __builtin_sqrt(v);
  } else {
    V root;
    for (int k = 0; k < kLanesOf<V>; ++k) root[k] = __builtin_sqrt(v[k]);
    return root;
  }
}

[[gnu::always_inline]] inline void SinCosOf(Real angle, Real& sine, Real& cosine) {
  ::sincos(angle, &sine, &cosine);
}

}  // namespace parallel_pool::mujoco::lanes
