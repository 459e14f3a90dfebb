// Numbers of several envs next to each other: a Number<4> has a double for each of four envs, its
// lanes. Number<1> is double itself, so one text is the code for one env and for many.
//
// Each operation is the IEEE one in each lane: nothing here reorders sums. Products are fused on
// ARM only, where libmujoco fuses them (real.h). The files that include this one are compiled for
// one instruction set each. So they may share no function with other files, not even an inline one
// of std::, because the linker would keep one copy of it.
#pragma once

#if defined(__aarch64__)
#include "parallel_pool/envs/mujoco/lanes/number_arm.h"
#else
#include "parallel_pool/envs/mujoco/lanes/number_x86.h"
#endif

namespace parallel_pool::mujoco::lanes {

// The number of one lane.
template <class V>
inline Real& At(V& v, int lane) {
  return reinterpret_cast<Real*>(&v)[lane];
}
template <class V>
inline Real At(const V& v, int lane) {
  return reinterpret_cast<const Real*>(&v)[lane];
}

// Calls f(lane) for each lane of `bits`.
template <class F>
inline void ForEachLane(unsigned bits, const F& f) {
  for (; bits != 0; bits &= bits - 1) f(__builtin_ctz(bits));
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
  for (int k = 0; k < kLanesOf<V>; ++k) SinCosOf(At(angle, k), At(sine, k), At(cosine, k));
}

// clang has made vectors of the loops over dense products in libmujoco for ARM, and those do not
// fuse the products of whole blocks. These are the lengths of blocks, by the loop.
enum class Blocks { kOfDot = 16, kOfNorm = 8, kNone = 0 };

// The number of products of `n` that are in whole blocks. Elsewhere there is nothing to fuse.
constexpr int NumUnfused([[maybe_unused]] int n, [[maybe_unused]] Blocks blocks) {
#if defined(__aarch64__)
  const int size = static_cast<int>(blocks);
  return size == 0 ? 0 : n / size * size;
#else
  return 0;
#endif
}

// The scalar product in libmujoco's order for dense vectors: four running sums, (0 + 2) + (1 + 3),
// then the products that are left over as one sum. Element i is a(i) * b(i).
template <class V, class A, class B>
inline V Dot(int n, const A& a, const B& b, Blocks blocks = Blocks::kOfDot) {
  const int whole = n / 4 * 4, unfused = NumUnfused(n, blocks);
  V sum = All<V>(0);
  if (whole > 0) {
    V part[4];
    for (int i = 0; i < 4; ++i) part[i] = a(i) * b(i);
    int k = 4;
    for (; k < unfused; k += 4) {
      for (int i = 0; i < 4; ++i) {
        const V product = a(k + i) * b(k + i);
        part[i] = part[i] + product;
      }
    }
    for (; k < whole; k += 4) {
      for (int i = 0; i < 4; ++i) part[i] = part[i] + a(k + i) * b(k + i);
    }
    sum = (part[0] + part[2]) + (part[1] + part[3]);
  }
  const int k = whole;
  switch (n - whole) {
    case 1:
      return sum + a(k) * b(k);
    case 2:
      return sum + (a(k) * b(k) + a(k + 1) * b(k + 1));
    case 3:
      return sum + (a(k) * b(k) + a(k + 1) * b(k + 1) + a(k + 2) * b(k + 2));
    default:
      return sum;
  }
}

// The same in libmujoco's order for sparse vectors: the products that are left over are added one
// by one.
template <class V, class A, class B>
[[gnu::always_inline]] inline V SparseDot(int n, const A& a, const B& b) {
  V sum = All<V>(0);
  int t = 0;
  if (n >= 4) {
    V part[4];
    for (int i = 0; i < 4; ++i) part[i] = a(i) * b(i);
    for (t = 4; t + 4 <= n; t += 4) {
      for (int i = 0; i < 4; ++i) part[i] = part[i] + a(t + i) * b(t + i);
    }
    sum = (part[0] + part[2]) + (part[1] + part[3]);
  }
  for (; t < n; ++t) sum = sum + a(t) * b(t);
  return sum;
}

}  // namespace parallel_pool::mujoco::lanes
