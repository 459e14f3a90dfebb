// The host's services for this library: the arithmetic of the installed NumPy, for envs whose
// Python reference computes with NumPy, and the folders of Python packages.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {
namespace internal {

// By elimination, with the largest number of each column as the pivot.
inline void Solve(const double* a, const double* b, int32_t n, double* out) {
  std::vector<std::vector<double>> rows;
  for (int32_t i = 0; i < n; ++i) {
    rows.emplace_back(a + i * n, a + i * n + n).push_back(b[i]);
  }
  for (int32_t k = 0; k < n; ++k) {
    const auto is_smaller = [k](const auto& x, const auto& y) {
      return std::abs(x[k]) < std::abs(y[k]);
    };
    std::swap(rows[k], *std::max_element(rows.begin() + k, rows.end(), is_smaller));
    for (int32_t i = k + 1; i < n; ++i) {
      const double factor = rows[i][k] / rows[k][k];
      for (int32_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  for (int32_t i = n; i-- > 0;) {
    out[i] = rows[i][n];
    for (int32_t j = i + 1; j < n; ++j) out[i] -= rows[i][j] * out[j];
    out[i] /= rows[i][i];
  }
}

// A host without Python: libm's functions and sums that are not fused, which is also NumPy at its
// baseline, and no packages.
inline constexpr Host kNoHost = {
    .arithmetic = {
        .exp = [](double x) { return std::exp(x); },
        .log = [](double x) { return std::log(x); },
        .log1p = [](double x) { return std::log1p(x); },
        .arcsinh = [](double x) { return std::asinh(x); },
        .tanh = [](double x) { return std::tanh(x); },
        .sin = [](double x) { return std::sin(x); },
        .cos = [](double x) { return std::cos(x); },
        .tan = [](double x) { return std::tan(x); },
        .arcsin = [](double x) { return std::asin(x); },
        .arccos = [](double x) { return std::acos(x); },
        .arctan = [](double x) { return std::atan(x); },
        .arctan2 = [](double y, double x) { return std::atan2(y, x); },
        .power = [](double x, double exponent) { return std::pow(x, exponent); },
        .matmul =
            [](const double* a, const double* x, int32_t m, int32_t n, double* out) {
              for (int32_t i = 0; i < m; ++i, a += n) out[i] = std::inner_product(a, a + n, x, 0.0);
            },
        .matmul_transposed =
            [](const double* a, const double* x, int32_t m, int32_t n, double* out) {
              std::fill_n(out, n, 0.0);
              for (int32_t i = 0; i < m; ++i) {
                for (int32_t j = 0; j < n; ++j) out[j] += a[i * n + j] * x[i];
              }
            },
        .gram =
            [](const double* a, int32_t m, int32_t n, double* out) {
              for (int32_t i = 0; i < m; ++i) {
                for (int32_t j = 0; j < m; ++j) {
                  out[i * m + j] = std::inner_product(a + i * n, a + i * n + n, a + j * n, 0.0);
                }
              }
            },
        .solve = Solve,
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
