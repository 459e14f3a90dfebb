// The arithmetic of the installed NumPy, for envs whose Python reference computes with NumPy.
#pragma once

#include <cmath>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {
namespace internal {

// libm's functions and sums that are not fused, which is also NumPy at its baseline.
inline constexpr Arithmetic kPlainArithmetic = {
    .exp = [](double x) { return std::exp(x); },
    .log1p = [](double x) { return std::log1p(x); },
    .arcsinh = [](double x) { return std::asinh(x); },
    .tanh = [](double x) { return std::tanh(x); },
    .arctan2 = [](double y, double x) { return std::atan2(y, x); },
    .fuses_dot = false,
    .fuses_matmul = false,
};

// Hidden: each library has its own, so that the system can unload a library that is refused.
__attribute__((visibility("hidden"))) inline Arithmetic arithmetic = kPlainArithmetic;

// Family::set_arithmetic
inline void SetArithmetic(const Arithmetic& of_host) {
  arithmetic = of_host;
}

}  // namespace internal

// The functions of this library's host. Without a host that has NumPy they are libm's.
inline const Arithmetic& NumpyArithmetic() {
  return internal::arithmetic;
}

}  // namespace parallel_pool
