// The host's services for this library: the arithmetic of the installed NumPy, for envs whose
// Python reference computes with NumPy, and the folders of Python packages.
#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {
namespace internal {

// A host without Python: libm's functions and sums that are not fused, which is also NumPy at its
// baseline, and no packages.
inline constexpr Host kNoHost = {
    .arithmetic = {
        .exp = [](double x) { return std::exp(x); },
        .log = [](double x) { return std::log(x); },
        .log1p = [](double x) { return std::log1p(x); },
        .arcsinh = [](double x) { return std::asinh(x); },
        .tanh = [](double x) { return std::tanh(x); },
        .arccos = [](double x) { return std::acos(x); },
        .arctan2 = [](double y, double x) { return std::atan2(y, x); },
        .matmul =
            [](const double* a, const double* x, int32_t m, int32_t n, double* out) {
              for (int32_t i = 0; i < m; ++i, a += n) out[i] = std::inner_product(a, a + n, x, 0.0);
            },
        .fuses_dot = false,
        .fuses_matmul = false,
    },
    .find_package = [](const char*, Writer&) { return false; },
};

// Hidden: each library has its own, so that the system can unload a library that is refused.
__attribute__((visibility("hidden"))) inline Host host = kNoHost;

// Family::set_host
inline void SetHost(const Host& of_library) {
  host = of_library;
}

}  // namespace internal

// NumPy's functions; without a host that has NumPy they are libm's.
inline const Arithmetic& NumpyArithmetic() {
  return internal::host.arithmetic;
}

// The folder of an installed Python package, such as "numpy"; empty if there is none.
inline std::string PackageFolder(const char* name) {
  ByteWriter folder;
  return internal::host.find_package(name, folder) ? std::move(folder.written) : "";
}

}  // namespace parallel_pool
