// x ** 2 as NumPy computes it for a single number: by libm's pow(), which in one of a thousand
// cases is not x * x rounded to the nearest. Compilers that see a constant exponent multiply.
#pragma once

#include <cmath>

namespace parallel_pool::classic_control {

template <class T>
T NumPySquare(T x) {
  volatile T two = 2;
  return std::pow(x, two);
}

}  // namespace parallel_pool::classic_control
