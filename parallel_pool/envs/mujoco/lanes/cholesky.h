// Dense Cholesky factors of several envs: of the Hessian in Newton's method. mju_cholFactor,
// mju_cholSolve and mju_cholUpdate.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/constraints.h"
#include "parallel_pool/envs/mujoco/lanes/mujoco_version.h"

namespace parallel_pool::mujoco::lanes {

// kNv: the number of dofs, known to the compiler; 0: `nv`. `a[j][i]` with j <= i is the element in
// row i and column j of the lower triangle.
template <int kNv, class V>
struct Cholesky {
  static constexpr int kSize = kNv > 0 ? kNv : kMaxDofs;

  int nv;
  V a[kSize][kSize];

  // The element in a row and a column of the lower triangle.
  V& operator()(int row, int column) { return a[column][row]; }

  int size() const { return kNv > 0 ? kNv : nv; }

  // Clears the matrix, which has `n` dofs.
  void Begin(int n) {
    nv = n;
    for (int j = 0; j < size(); ++j) {
      for (int i = j; i < size(); ++i) a[j][i] = All<V>(0);
    }
  }

  // Turns the matrix into its factor.
  void Factor() {
    for (int j = 0; j < size(); ++j) {
      V diagonal = a[j][j];
      if (j > 0) diagonal = diagonal - RowProduct(j, &a[0][j], kSize, j, Blocks::kNone);
      const Mask<V> is_small = diagonal < mjMINVAL;
      diagonal = Pick<V>(is_small, All<V>(mjMINVAL), diagonal);
      const V root = Sqrt<V>(diagonal), scale = Pick<V>(is_small, All<V>(0), 1 / root);
      a[j][j] = root;
      for (int i = j + 1; i < size(); ++i) {
        a[j][i] = (j > 0 ? a[j][i] - RowProduct(i, &a[0][j], kSize, j) : a[j][i]) * scale;
      }
    }
  }

  void CopyFrom(const Cholesky& other) {
    nv = other.nv;
    for (int j = 0; j < size(); ++j) {
      for (int i = j; i < size(); ++i) a[j][i] = other.a[j][i];
    }
  }

  void Solve(const V* y, V* x) const {
    for (int i = 0; i < size(); ++i) {
      x[i] = (i > 0 ? y[i] - RowProduct(i, x, 1, i) : y[i]) / a[i][i];
    }
    for (int i = size() - 1; i >= 0; --i) {
      if (kIsMujoco4) {
        x[i] = x[i] / a[i][i];
        for (int j = 0; j < i; ++j) x[j] = x[j] - a[j][i] * x[i];
        continue;
      }
      V left = x[i];
      for (int j = i + 1; j < size(); ++j) left = left - a[i][j] * x[j];
      x[i] = left / a[i][i];
    }
  }

  // Adds sign * x x' to the matrix of the factor; x is zero before `first`, and is overwritten.
  // Returns the lanes in which the matrix is no longer positive.
  unsigned Update(V* x, const V& sign, int first) {
    unsigned poor = 0;
    for (int k = first; k < size(); ++k) {
      const V by = x[k];
      if (Bits<V>(by != 0) == 0) continue;  // no lane changes: root * root is exact enough
      V squared = a[k][k] * a[k][k] + sign * (by * by);
      const Mask<V> is_small = squared < mjMINVAL;
      poor |= Bits<V>(is_small);
      squared = Pick<V>(is_small, All<V>(mjMINVAL), squared);
      const V root = Sqrt<V>(squared), cosine = root / a[k][k], sine = by / a[k][k];
      const V inverse_cosine = 1 / cosine, signed_sine = sign * sine;
      a[k][k] = root;
      for (int i = k + 1; i < size(); ++i) {
        const V element = (a[k][i] + signed_sine * x[i]) * inverse_cosine;
        a[k][i] = element;
        x[i] = cosine * x[i] - sine * element;
      }
    }
    return poor;
  }

 private:
  // The sum over j < n of row i's element j times y[j * stride].
  V RowProduct(int i, const V* y, int stride, int n, Blocks blocks = Blocks::kOfDot) const {
    return Dot<V>(n, [&](int j) { return a[j][i]; }, [&](int j) { return y[j * stride]; }, blocks);
  }
};

}  // namespace parallel_pool::mujoco::lanes
