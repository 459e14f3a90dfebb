// A number of one env, outside of lanes.
#pragma once

#if defined(__aarch64__)
#include <type_traits>
#endif

namespace parallel_pool::mujoco::lanes {

#if defined(__aarch64__)

// clang has compiled libmujoco for ARM. It makes one fused operation of a product and the sum that
// it is a term of, if one expression has both. It fuses the left one of two products. So here a
// product is a type of its own: a sum fuses it, and all else that takes it rounds it.
//
// A Real may alias: a lane of a Number is one.
struct [[gnu::may_alias]] Real {
  Real() = default;
  constexpr Real(double x) : x(x) {}
  constexpr operator double() const { return x; }

  double x;
};
struct RealProduct {
  constexpr operator double() const { return a * b; }
  constexpr operator Real() const { return a * b; }

  double a, b;
};

template <class T>
inline constexpr bool kIsProduct = std::is_same_v<T, RealProduct>;
template <class T>
inline constexpr bool kIsReal = std::is_same_v<T, Real> || kIsProduct<T>;
// Operands of which at least one is a Real or a product of them.
template <class A, class B>
concept HasReal = (kIsReal<A> || kIsReal<B>) && std::is_convertible_v<A, double> &&
                  std::is_convertible_v<B, double>;

constexpr Real operator-(Real a) {
  return -a.x;
}
constexpr RealProduct operator-(RealProduct p) {
  return {-p.a, p.b};
}
template <class A, class B>
  requires HasReal<A, B>
constexpr RealProduct operator*(A a, B b) {
  return {static_cast<double>(a), static_cast<double>(b)};
}
template <class A, class B>
  requires HasReal<A, B>
constexpr Real operator/(A a, B b) {
  return static_cast<double>(a) / static_cast<double>(b);
}
template <class A, class B>
  requires HasReal<A, B>
constexpr Real operator+(A a, B b) {
  if constexpr (kIsProduct<A>) {
    return __builtin_fma(a.a, a.b, static_cast<double>(b));
  } else if constexpr (kIsProduct<B>) {
    return __builtin_fma(b.a, b.b, static_cast<double>(a));
  } else {
    return static_cast<double>(a) + static_cast<double>(b);
  }
}
template <class A, class B>
  requires HasReal<A, B>
constexpr Real operator-(A a, B b) {
  return a + -b;
}
template <class B>
constexpr Real& operator+=(Real& a, B b) {
  return a = a + b;
}
template <class B>
constexpr Real& operator-=(Real& a, B b) {
  return a = a - b;
}
template <class B>
constexpr Real& operator*=(Real& a, B b) {
  return a = a * b;
}

inline const double* Doubles(const Real* numbers) {
  return &numbers->x;
}

#else

using Real = double;

inline const double* Doubles(const Real* numbers) {
  return numbers;
}

#endif

// A product by itself: no sum fuses it.
inline Real Rounded(Real product) {
  return product;
}

}  // namespace parallel_pool::mujoco::lanes
