// Sums, squares and norms, equal to NumPy 2.4's to the last bit.
#pragma once

#include <cstddef>

#include "parallel_pool/core/normal.h"

namespace parallel_pool::mujoco {

// numpy.sum(numpy.square(x)) of n consecutive numbers, computed in T.
template <class T>
T SumOfSquares(const T* x, size_t n);
extern template float SumOfSquares(const float*, size_t);
extern template double SumOfSquares(const double*, size_t);

// numpy.sum(x)
double Sum(const double* x, size_t n);

// numpy.dot(x, y) of at most 15 numbers each. Products are fused with sums if the installed NumPy
// does so (core/host.h).
double Dot(const double* x, const double* y, size_t n);

// numpy.dot(x, m) of 3 numbers and a matrix of 3 rows and 3 columns, the same way. Writes 3
// numbers.
void DotMatrix(const double* x, const double* m, double* out);

// numpy.dot(a, m) of two such matrices. NumPy multiplies them by another function, which fuses on
// more processors. Writes 9 numbers.
void DotMatrices(const double* a, const double* m, double* out);

// numpy.matmul(a, x), that is a @ x, of a matrix of m rows and n columns and n numbers, by the
// installed NumPy. Writes m numbers.
void Multiply(const double* a, const double* x, int m, int n, double* out);

// Number `column` of numpy.einsum("b,bj->j", x, m), for a matrix of n rows and 3 columns. NumPy's
// wheels for 64-bit ARM fuse products with sums, those for x86-64 do not.
double WeightedSum(const double* x, const double* m, size_t n, size_t column);

// numpy.linalg.norm(x), as Dot.
double Norm(const double* x, size_t n);

// numpy.float64(x) ** 2, which is libm's pow(): in one of a thousand cases it is not x * x.
double Square(double x);

}  // namespace parallel_pool::mujoco
