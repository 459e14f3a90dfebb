// Numbers of several envs next to each other: a Number<4> has a double for each of four envs, its
// lanes. Number<1> is double itself, so one text is the code for one env and for many.
//
// Each operation is the IEEE one in each lane: nothing here reorders sums or fuses products. The
// files that include it are compiled for one instruction set each. So they may share no function
// with other files, not even an inline one of std::, because the linker would keep one copy of it.
#pragma once

#include <immintrin.h>
#include <math.h>

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

// The number of one lane.
template <class V>
inline double& At(V& v, int lane) {
  return reinterpret_cast<double*>(&v)[lane];
}
template <class V>
inline double At(const V& v, int lane) {
  return reinterpret_cast<const double*>(&v)[lane];
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

// Calls f(lane) for each lane of `bits`.
template <class F>
inline void ForEachLane(unsigned bits, const F& f) {
  for (; bits != 0; bits &= bits - 1) f(__builtin_ctz(bits));
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
template <class V>
inline V Abs(V v) {
  return Pick<V>(v < 0, -v, v);
}
template <class V>
inline V Clip(V v, double low, double high) {
  v = Pick<V>(v < low, All<V>(low), v);
  return Pick<V>(v > high, All<V>(high), v);
}
// The C library's own sine and cosine, which libmujoco calls, too.
template <class V>
inline void SinCos(V angle, V& sine, V& cosine) {
  for (int k = 0; k < kLanesOf<V>; ++k) ::sincos(At(angle, k), &At(sine, k), &At(cosine, k));
}

// The scalar product in libmujoco's order for dense vectors: four running sums, (0 + 2) + (1 + 3),
// then the products that are left over as one sum. Element i is a(i) * b(i).
template <class V, class A, class B>
inline V Dot(int n, const A& a, const B& b) {
  const int whole = n / 4 * 4;
  V sum = All<V>(0);
  if (whole > 0) {
    V part[4];
    for (int i = 0; i < 4; ++i) part[i] = a(i) * b(i);
    for (int k = 4; k < whole; k += 4) {
      for (int i = 0; i < 4; ++i) part[i] = part[i] + a(k + i) * b(k + i);
    }
    sum = (part[0] + part[2]) + (part[1] + part[3]);
  }
  if (whole < n) {
    V rest = a(whole) * b(whole);
    for (int k = whole + 1; k < n; ++k) rest = rest + a(k) * b(k);
    sum = sum + rest;
  }
  return sum;
}

}  // namespace parallel_pool::mujoco::lanes
