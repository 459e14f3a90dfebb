#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

#include <cmath>

#include "parallel_pool/core/host.h"

namespace parallel_pool::mujoco {
namespace {

// NumPy's pairwise summation of f(x[0]), ..., f(x[n - 1]): fewer than 8 numbers in order, up to 128
// in eight sums, more in halves with lengths that are multiples of eight.
template <class T, class F>
T PairwiseSum(const T* x, size_t n, const F& f) {
  if (n < 8) {
    T sum = 0;
    for (size_t i = 0; i < n; ++i) sum += f(x[i]);
    return sum;
  }
  if (n > 128) {
    const size_t half = n / 2 / 8 * 8;
    return PairwiseSum(x, half, f) + PairwiseSum(x + half, n - half, f);
  }
  T r[8];
  for (size_t j = 0; j < 8; ++j) r[j] = f(x[j]);
  size_t i = 8;
  for (; i + 8 <= n; i += 8) {
    for (size_t j = 0; j < 8; ++j) r[j] += f(x[i + j]);
  }
  T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < n; ++i) sum += f(x[i]);
  return sum;
}

// Other processors have the instruction always.
#if defined(__x86_64__)
#define PARALLEL_POOL_FMA __attribute__((target("fma")))
#else
#define PARALLEL_POOL_FMA
#endif

PARALLEL_POOL_FMA double FusedDot(const double* x, const double* y, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) sum = __builtin_fma(x[i], y[i], sum);
  return sum;
}

double PlainDot(const double* x, const double* y, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// Multiplies a row of 3 numbers by the columns of a matrix.
void DotColumns(bool fuses, const double* x, const double* m, double* out) {
  for (size_t i = 0; i < 3; ++i) {
    const double column[] = {m[i], m[3 + i], m[6 + i]};
    out[i] = (fuses ? FusedDot : PlainDot)(x, column, 3);
  }
}

}  // namespace

template <class T>
T SumOfSquares(const T* x, size_t n) {
  return PairwiseSum(x, n, [](T v) { return v * v; });
}
template float SumOfSquares(const float*, size_t);
template double SumOfSquares(const double*, size_t);

double Sum(const double* x, size_t n) {
  return PairwiseSum(x, n, [](double v) { return v; });
}

double Dot(const double* x, const double* y, size_t n) {
  return (NumpyArithmetic().fuses_dot ? FusedDot : PlainDot)(x, y, n);
}

void DotMatrix(const double* x, const double* m, double* out) {
  DotColumns(NumpyArithmetic().fuses_dot, x, m, out);
}

void DotMatrices(const double* a, const double* m, double* out) {
  for (size_t i = 0; i < 3; ++i) {
    DotColumns(NumpyArithmetic().fuses_matmul, a + 3 * i, m, out + 3 * i);
  }
}

void Multiply(const double* a, const double* x, int m, int n, double* out) {
  NumpyArithmetic().matmul(a, x, m, n, out);
}

double WeightedSum(const double* x, const double* m, size_t n, size_t column) {
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) {
    const double y = m[3 * i + column];
#if defined(__aarch64__)
    sum = __builtin_fma(x[i], y, sum);
#else
    sum += x[i] * y;
#endif
  }
  return sum;
}

double Norm(const double* x, size_t n) {
  return std::sqrt(Dot(x, x, n));
}

double Square(double x) {
  volatile double two =
      2.0;  // volatile: a compiler would replace the exponent 2 by a multiplication
  return std::pow(x, two);
}

}  // namespace parallel_pool::mujoco
