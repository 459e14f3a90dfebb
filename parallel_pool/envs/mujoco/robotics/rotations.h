// Rotations, with the operations and their order of gymnasium_robotics.utils.rotations. Quaternions
// are w, x, y, z; matrices have 9 numbers, row by row; Euler angles are 3, in rad.
#pragma once

#include <array>
#include <vector>

namespace parallel_pool::mujoco::robotics {

using Quaternion = std::array<double, 4>;

void MatrixToEuler(const double* matrix, double* euler);
void QuaternionToMatrix(const double* quaternion, double* matrix);
void QuaternionToEuler(const double* quaternion, double* euler);
void EulerToQuaternion(const double* euler, double* quaternion);
void EulerToMatrix(const double* euler, double* matrix);

// The product of two rotations.
Quaternion Product(const Quaternion& a, const Quaternion& b);
Quaternion Normalized(Quaternion quaternion);
// The rotation by `angle` (rad) about `axis`, of any length.
Quaternion AngleAxis(double angle, const double* axis);

// The 24 rotations that put a cube's axes on the world's.
const std::vector<Quaternion>& ParallelRotations();

}  // namespace parallel_pool::mujoco::robotics
