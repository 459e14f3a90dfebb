#include "parallel_pool/envs/mujoco/robotics/rotations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::robotics {

void MatrixToEuler(const double* matrix, double* euler) {
  const double *const x = matrix, *const y = matrix + 3, *const z = matrix + 6;  // its rows
  const auto& arctan2 = NumpyArithmetic().arctan2;
  const double cosine = std::sqrt(z[2] * z[2] + y[2] * y[2]);  // of the angle about y
  const bool is_turned = cosine > 4 * std::numeric_limits<double>::epsilon();
  euler[0] = is_turned ? -arctan2(y[2], z[2]) : 0;
  euler[1] = -arctan2(-x[2], cosine);
  euler[2] = is_turned ? -arctan2(x[1], x[0]) : -arctan2(-y[0], y[1]);
}

void QuaternionToMatrix(const double* quaternion, double* matrix) {
  const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
  const double norm = ((w * w + x * x) + y * y) + z * z;
  if (!(norm > std::numeric_limits<double>::epsilon())) {
    const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::ranges::copy(identity, matrix);
    return;
  }
  const double s = 2 / norm;
  const double xs = x * s, ys = y * s, zs = z * s;
  const double wx = w * xs, wy = w * ys, wz = w * zs;
  const double xx = x * xs, xy = x * ys, xz = x * zs;
  const double yy = y * ys, yz = y * zs, zz = z * zs;
  const double rows[] = {1 - (yy + zz), xy - wz,       xz + wy,  //
                         xy + wz,       1 - (xx + zz), yz - wx,  //
                         xz - wy,       yz + wx,       1 - (xx + yy)};
  std::ranges::copy(rows, matrix);
}

void QuaternionToEuler(const double* quaternion, double* euler) {
  double matrix[9];
  QuaternionToMatrix(quaternion, matrix);
  MatrixToEuler(matrix, euler);
}

void EulerToQuaternion(const double* euler, double* quaternion) {
  const double i = euler[2] / 2, j = -euler[1] / 2, k = euler[0] / 2;
  const double si = std::sin(i), sj = std::sin(j), sk = std::sin(k);
  const double ci = std::cos(i), cj = std::cos(j), ck = std::cos(k);
  const double cc = ci * ck, cs = ci * sk, sc = si * ck, ss = si * sk;
  quaternion[0] = cj * cc + sj * ss;
  quaternion[1] = cj * cs - sj * sc;
  quaternion[2] = -(cj * ss + sj * cc);
  quaternion[3] = cj * sc - sj * cs;
}

void EulerToMatrix(const double* euler, double* matrix) {
  const double i = -euler[2], j = -euler[1], k = -euler[0];
  const double si = std::sin(i), sj = std::sin(j), sk = std::sin(k);
  const double ci = std::cos(i), cj = std::cos(j), ck = std::cos(k);
  const double cc = ci * ck, cs = ci * sk, sc = si * ck, ss = si * sk;
  const double rows[] = {cj * ci,      cj * si,      -sj,      //
                         sj * cs - sc, sj * ss + cc, cj * sk,  //
                         sj * cc + ss, sj * sc - cs, cj * ck};
  std::ranges::copy(rows, matrix);
}

Quaternion Product(const Quaternion& a, const Quaternion& b) {
  const auto [aw, ax, ay, az] = a;
  const auto [bw, bx, by, bz] = b;
  return {aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
          aw * by + ay * bw + az * bx - ax * bz, aw * bz + az * bw + ax * by - ay * bx};
}

Quaternion Normalized(Quaternion quaternion) {
  const double norm = Norm(quaternion.data(), 4);
  for (double& x : quaternion) x /= norm;
  return quaternion;
}

Quaternion AngleAxis(double angle, const double* axis) {
  const double norm = Norm(axis, 3), sine = std::sin(angle / 2);
  return Normalized({std::cos(angle / 2), sine * (axis[0] / norm), sine * (axis[1] / norm),
                     sine * (axis[2] / norm)});
}

namespace {

std::vector<Quaternion> FindParallelRotations() {
  const double quarter = std::numbers::pi / 2;
  const double angles[] = {0, quarter, -quarter, std::numbers::pi};
  std::vector<std::array<double, 3>> found;
  for (const double x : angles) {
    for (const double y : angles) {
      for (const double z : angles) {
        const double given[] = {x, y, z};
        double matrix[9];
        std::array<double, 3> euler;  // the same rotation, in quarter turns
        EulerToMatrix(given, matrix);
        MatrixToEuler(matrix, euler.data());
        for (double& angle : euler) angle = std::nearbyint(angle / quarter);
        for (const int k : {0, 2}) {
          if (euler[k] == -2) euler[k] = 2;
        }
        for (double& angle : euler) angle *= quarter;
        if (std::ranges::find(found, euler) == found.end()) found.push_back(euler);
      }
    }
  }
  std::vector<Quaternion> rotations(found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EulerToQuaternion(found[i].data(), rotations[i].data());
  }
  return rotations;
}

}  // namespace

const std::vector<Quaternion>& ParallelRotations() {
  static const std::vector<Quaternion> rotations = FindParallelRotations();
  return rotations;
}

}  // namespace parallel_pool::mujoco::robotics
