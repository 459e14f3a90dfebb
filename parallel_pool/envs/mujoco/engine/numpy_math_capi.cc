// The functions of numpy_math.h as C functions, for numpy_math_test.py (ctypes).
#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

using namespace parallel_pool;
using namespace parallel_pool::mujoco;

#ifdef _WIN32  // NumPy's functions are marked, and then the linker exports marked ones only
#pragma clang attribute push(__attribute__((dllexport)), apply_to = function)
#endif
extern "C" {
float sum_of_squares_float(const float* x, size_t n) {
  return SumOfSquares(x, n);
}
double sum_of_squares_double(const double* x, size_t n) {
  return SumOfSquares(x, n);
}
double sum(const double* x, size_t n) {
  return Sum(x, n);
}
// Whether products fuse, which families learn from their host.
void set_fuses(bool dot, bool matmul) {
  Host host = internal::kNoHost;
  host.arithmetic.fuses_dot = dot;
  host.arithmetic.fuses_matmul = matmul;
  internal::SetHost(host);
}
double dot(const double* x, const double* y, size_t n) {
  return Dot(x, y, n);
}
void dot_matrix(const double* x, const double* m, double* out) {
  DotMatrix(x, m, out);
}
void dot_matrices(const double* a, const double* m, double* out) {
  DotMatrices(a, m, out);
}
double weighted_sum(const double* x, const double* m, size_t n, size_t column) {
  return WeightedSum(x, m, n, column);
}
double norm(const double* x, size_t n) {
  return Norm(x, n);
}
double square(double x) {
  return Square(x);
}
// The first `n` normal numbers of a seed, each followed by a number in [0, 1).
void draw(uint64_t seed, double* out, size_t n) {
  Rng rng(seed);
  for (size_t i = 0; i < n; ++i) {
    out[2 * i] = Normal(rng);
    out[2 * i + 1] = rng.Random();
  }
}
}
#ifdef _WIN32
#pragma clang attribute pop
#endif
