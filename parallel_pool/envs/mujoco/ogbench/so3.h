// Rotations as quaternions (w, x, y, z), with the operations of OGBench's `lie` in their order.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <cmath>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::ogbench {

using Quaternion = std::array<double, 4>;
using Vector = std::array<double, 3>;

inline constexpr Quaternion kNoTurn = {1, 0, 0, 0};
inline constexpr Quaternion kDown = {0, 1, 0, 0};  // a gripper that points down

inline Quaternion Product(const Quaternion& a, const Quaternion& b) {
  const auto& [w0, x0, y0, z0] = a;
  const auto& [w1, x1, y1, z1] = b;
  return {-x0 * x1 - y0 * y1 - z0 * z1 + w0 * w1, x0 * w1 + y0 * z1 - z0 * y1 + w0 * x1,
          -x0 * z1 + y0 * w1 + z0 * x1 + w0 * y1, x0 * y1 - y0 * x1 + z0 * w1 + w0 * z1};
}

inline Quaternion Inverse(const Quaternion& q) {
  return {q[0], -q[1], -q[2], -q[3]};
}

// The vector, rotated.
inline Vector Turn(const Quaternion& q, const Vector& v) {
  const Quaternion turned = Product(Product(q, {0, v[0], v[1], v[2]}), Inverse(q));
  return {turned[1], turned[2], turned[3]};
}

// The rotation by `angle` (rad) about the z axis.
inline Quaternion AboutZ(double angle) {
  const double square = angle * angle;
  if (square < 1e-10) {
    const double fourth = square * square;
    const double factor = .5 - square / 48 + fourth / 3840;
    return {1 - square / 8 + fourth / 384, 0, 0, factor * angle};
  }
  const double size = std::sqrt(square), half = .5 * size;
  const double factor = NumpyArithmetic().sin(half) / size;
  return {NumpyArithmetic().cos(half), factor * 0, factor * 0, factor * angle};
}

// The angle about the z axis, in rad.
inline double Yaw(const Quaternion& q) {
  return NumpyArithmetic().arctan2(2 * (q[0] * q[3] + q[1] * q[2]),
                                   1 - 2 * (Square(q[2]) + Square(q[3])));
}

inline Quaternion OfMatrix(const mjtNum* matrix) {
  Quaternion q;
  mju_mat2Quat(q.data(), matrix);
  return q;
}

}  // namespace parallel_pool::mujoco::ogbench
