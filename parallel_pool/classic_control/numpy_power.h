// x ** 2 as NumPy computes it for a single number: by libm's pow(), which in one of a thousand
// cases is not x * x rounded to the nearest.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace parallel_pool::classic_control {

// By pow() itself; a compiler that sees a constant exponent would multiply.
template <class T>
T PowerWithTwo(T x) {
  volatile T two = 2;
  return std::pow(x, two);
}

inline float NumPySquare(float x) {
  return PowerWithTwo(x);
}

// pow() errs by less than 0.55 units in the last place. So where x * x is nearer than 0.45 to its
// rounded value (in nine of ten cases), pow() gives that, too, and takes ten times as long.
inline double NumPySquare(double x) {
  const double square = x * x;
  if (!(square > 1e-200 && square < 1e200)) return PowerWithTwo(x);
  const double split = x * 0x8000001p0;  // Dekker: x = high + low, of 26 bits each
  const double high = split - (split - x), low = x - high;
  const double error = ((high * high - square) + 2 * high * low) + low * low;  // exact
  const uint64_t exponent = std::bit_cast<uint64_t>(square) & 0x7ff0000000000000u;
  const double unit = std::bit_cast<double>(exponent) * 0x1p-52;
  return std::abs(error) < 0.45 * unit ? square : PowerWithTwo(x);
}

}  // namespace parallel_pool::classic_control
