// x ** 2 as NumPy computes it for a single number: by libm's pow(), which in one of a thousand
// cases is not x * x rounded to the nearest.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace parallel_pool::classic_control {

// Calls pow() itself: a compiler would replace a constant exponent by a multiplication.
template <class T>
[[gnu::noinline, gnu::cold]] T PowerWithTwo(T x) {
  volatile T two = 2;
  return std::pow(x, two);
}

inline float NumPySquare(float x) {
  return PowerWithTwo(x);
}

// The error of pow() for squares is below 0.52 units in the last place. So if x * x is nearer than
// 0.48 units to its rounded value (in 24 of 25 cases), pow() returns that value, too, in ten times
// the time.
inline double NumPySquare(double x) {
  const double square = x * x;
  if (!(square > 1e-10 && square < 1e10)) return PowerWithTwo(x);
  const double error = std::fma(x, x, -square);  // exact
  const uint64_t exponent = std::bit_cast<uint64_t>(square) & 0x7ff0000000000000u;
  const double unit = std::bit_cast<double>(exponent) * 0x1p-52;
  return std::abs(error) < 0.48 * unit ? square : PowerWithTwo(x);
}

}  // namespace parallel_pool::classic_control
