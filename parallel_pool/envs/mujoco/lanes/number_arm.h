// Number for 64-bit ARM: two lanes in each register. Included by lane.h.
#pragma once

#include <arm_neon.h>
#include <math.h>

#include "parallel_pool/envs/mujoco/lanes/real.h"

namespace parallel_pool::mujoco::lanes {

// As for Real, a product is a type of its own, which a sum fuses.
template <int kLanes>
class Number {
 public:
  static constexpr int kSize = kLanes / 2;
  struct Mask { uint64x2_t registers[kSize]; };
  struct Product;

  Number() = default;
  Number(double x) : Number(Each([x](int) { return vdupq_n_f64(x); })) {}

  double operator[](int lane) const { return registers_[lane / 2][lane % 2]; }

  friend Product operator*(const Number& a, const Number& b) { return {a, b}; }
  friend Number operator/(const Number& a, const Number& b) {
    return Each([&](int i) { return a.registers_[i] / b.registers_[i]; });
  }
  friend Number operator+(const Number& a, const Number& b) {
    return Each([&](int i) { return a.registers_[i] + b.registers_[i]; });
  }
  friend Number operator-(const Number& a, const Number& b) {
    return Each([&](int i) { return a.registers_[i] - b.registers_[i]; });
  }
  friend Number operator-(const Number& a) {
    return Each([&](int i) { return -a.registers_[i]; });
  }
  friend Number Fused(const Number& a, const Number& b, const Number& sum) {
    return Each(
        [&](int i) { return vfmaq_f64(sum.registers_[i], a.registers_[i], b.registers_[i]); });
  }
  friend Number Unfused(const Number& a, const Number& b) {
    return Each([&](int i) { return a.registers_[i] * b.registers_[i]; });
  }
  friend Number Root(const Number& a) {
    return Each([&](int i) { return vsqrtq_f64(a.registers_[i]); });
  }
  friend Number Choice(const Mask& mask, const Number& yes, const Number& no) {
    return Each(
        [&](int i) { return vbslq_f64(mask.registers[i], yes.registers_[i], no.registers_[i]); });
  }

  friend Mask operator<(const Number& a, const Number& b) {
    return Masks([&](int i) { return vcltq_f64(a.registers_[i], b.registers_[i]); });
  }
  friend Mask operator<=(const Number& a, const Number& b) {
    return Masks([&](int i) { return vcleq_f64(a.registers_[i], b.registers_[i]); });
  }
  friend Mask operator==(const Number& a, const Number& b) {
    return Masks([&](int i) { return vceqq_f64(a.registers_[i], b.registers_[i]); });
  }
  friend Mask operator>(const Number& a, const Number& b) { return b < a; }
  friend Mask operator>=(const Number& a, const Number& b) { return b <= a; }
  friend Mask operator!=(const Number& a, const Number& b) { return !(a == b); }
  friend Mask operator!(const Mask& mask) {
    return Masks([&](int i) { return ~mask.registers[i]; });
  }

  // The bits of lanes 2 i and 2 i + 1.
  static uint64x2_t Bits(int i) { return uint64x2_t{1, 2} << 2 * i; }
  template <class F>
  static Mask Masks(const F& f) {
    Mask all;
    all.registers[0] = f(0);
    if constexpr (kSize == 2) all.registers[1] = f(1);
    return all;
  }

 private:
  template <class F>
  static Number Each(const F& f) {
    Number all;
    all.registers_[0] = f(0);
    if constexpr (kSize == 2) all.registers_[1] = f(1);
    return all;
  }

  float64x2_t registers_[kSize];
};

template <int kLanes>
struct Number<kLanes>::Product {
  operator Number() const { return Unfused(a, b); }

  friend Product operator-(const Product& p) { return {-p.a, p.b}; }
  friend Number operator+(const Product& p, const Number& x) { return Fused(p.a, p.b, x); }
  friend Number operator-(const Product& p, const Number& x) { return Fused(p.a, p.b, -x); }
  friend Number operator+(const Number& x, const Product& p) { return p + x; }
  friend Number operator-(const Number& x, const Product& p) { return -p + x; }
  friend Number operator+(const Product& p, const Product& q) { return p + Number(q); }
  friend Number operator-(const Product& p, const Product& q) { return p - Number(q); }

  Number a, b;
};

template <class V>
using Mask = typename V::Mask;

template <class V>
inline constexpr int kLanesOf = sizeof(V) / sizeof(double);

template <class V>
inline V All(double x) {
  return V(x);
}

template <class V>
inline V Pick(const Mask<V>& mask, const V& yes, const V& no) {
  return Choice(mask, yes, no);
}

// The lanes of a mask as bits, lane 0 lowest; and back.
template <class V>
inline unsigned Bits(const Mask<V>& mask) {
  uint64x2_t bits = mask.registers[0] & V::Bits(0);
  for (int i = 1; i < V::kSize; ++i) bits |= mask.registers[i] & V::Bits(i);
  return static_cast<unsigned>(vaddvq_u64(bits));
}
template <class V>
inline Mask<V> MaskOf(unsigned bits) {
  return V::Masks([bits](int i) { return vtstq_u64(vdupq_n_u64(bits), V::Bits(i)); });
}
// The mask of one lane.
template <class V>
inline Mask<V> OnlyLane(int lane) {
  return MaskOf<V>(1u << lane);
}

template <class V>
inline V Sqrt(const V& v) {
  return Root(v);
}

// libmujoco calls both.
inline void SinCosOf(Real angle, Real& sine, Real& cosine) {
  sine = ::sin(angle);
  cosine = ::cos(angle);
}

}  // namespace parallel_pool::mujoco::lanes
