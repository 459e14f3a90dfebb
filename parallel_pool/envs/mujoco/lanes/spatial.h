// Vectors, quaternions, rotation matrices and spatial vectors of lanes, in libmujoco's order of
// operations.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/lane.h"
#include "parallel_pool/envs/mujoco/lanes/mujoco_version.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
struct Vec3 {
  V x, y, z;
};
template <class V>
struct Quat {
  V w, x, y, z;
};
template <class V>
struct Mat3 {
  V a[9];
};  // by rows
// A motion or a force: three angular numbers, then three linear ones.
template <class V>
struct Spatial {
  V a[6];
};

template <class V>
inline Vec3<V> All3(const double* p) {
  return {All<V>(p[0]), All<V>(p[1]), All<V>(p[2])};
}
template <class V>
inline Vec3<V> operator+(const Vec3<V>& a, const Vec3<V>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class V>
inline Vec3<V> operator-(const Vec3<V>& a, const Vec3<V>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class V, class S>
inline Vec3<V> operator*(const Vec3<V>& a, S s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class V>
inline V Dot(const Vec3<V>& a, const Vec3<V>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
// The same product, summed as libmujoco sums those of matrices: one term after the other.
template <class V>
inline V SumOfProducts(const Vec3<V>& a, const Vec3<V>& b) {
  V sum = a.x * b.x;
  sum = sum + a.y * b.y;
  return sum + a.z * b.z;
}
template <class V>
inline Vec3<V> Cross(const Vec3<V>& a, const Vec3<V>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// m * p, for a constant p.
template <class V>
inline Vec3<V> operator*(const Mat3<V>& m, const double* p) {
  const V* const a = m.a;
  return {a[0] * p[0] + a[1] * p[1] + a[2] * p[2], a[3] * p[0] + a[4] * p[1] + a[5] * p[2],
          a[6] * p[0] + a[7] * p[1] + a[8] * p[2]};
}
template <class V>
inline Vec3<V> operator*(const Mat3<V>& m, const Vec3<V>& p) {
  const V* const a = m.a;
  return {a[0] * p.x + a[1] * p.y + a[2] * p.z, a[3] * p.x + a[4] * p.y + a[5] * p.z,
          a[6] * p.x + a[7] * p.y + a[8] * p.z};
}
// m' * v.
template <class V>
inline Vec3<V> TransposeTimes(const Mat3<V>& m, const Vec3<V>& v) {
  const V* const a = m.a;
  return {a[0] * v.x + a[3] * v.y + a[6] * v.z, a[1] * v.x + a[4] * v.y + a[7] * v.z,
          a[2] * v.x + a[5] * v.y + a[8] * v.z};
}
// The constant vector p, turned by q. (libmujoco copies p if q is no turn; the formula gives p,
// too.)
template <class V>
inline Vec3<V> Turn(const double* p, const Quat<V>& q) {
  const V x = q.w * p[0] + q.y * p[2] - q.z * p[1];
  const V y = q.w * p[1] + q.z * p[0] - q.x * p[2];
  const V z = q.w * p[2] + q.x * p[1] - q.y * p[0];
  return {p[0] + 2 * (q.y * z - q.z * y), p[1] + 2 * (q.z * x - q.x * z),
          p[2] + 2 * (q.x * y - q.y * x)};
}
template <class V, class S>
inline Quat<V> operator*(const Quat<V>& a, const Quat<S>& b) {
  if constexpr (kIsMujoco4) {
    return {(a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z),
            (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
            (a.w * b.y - a.x * b.z) + (a.y * b.w + a.z * b.x),
            (a.w * b.z + a.x * b.y) + (V(a.z * b.w) - a.y * b.x)};
  }
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class V>
inline Mat3<V> Rotation(const Quat<V>& q) {
  const V ww = q.w * q.w, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  const V xx = q.x * q.x, xy = q.x * q.y, xz = q.x * q.z;
  const V yy = q.y * q.y, yz = q.y * q.z, zz = q.z * q.z;
  if constexpr (kIsMujoco4) {
    const V a = ww - yy, b = xx - zz, c = ww + yy, d = xx + zz;
    return {{a + b, 2 * (xy - wz), 2 * (xz + wy),  //
             2 * (xy + wz), c - d, 2 * (yz - wx),  //
             2 * (xz - wy), 2 * (yz + wx), a - b}};
  }
  return {{ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy),  //
           2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx),  //
           2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz}};
}
// q with length 1, unless its length is 1 to 1e-15. The null quaternion cannot occur: the step of a
// state with it is left to libmujoco.
template <class V>
inline Quat<V> Normalized(const Quat<V>& q) {
  const V length = Sqrt<V>(kIsMujoco4 ? (q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z)
                                      : q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  const Mask<V> is_off = Abs<V>(length - 1) > 1e-15;
  const V scale = 1 / length;
  return {Pick<V>(is_off, q.w * scale, q.w), Pick<V>(is_off, q.x * scale, q.x),
          Pick<V>(is_off, q.y * scale, q.y), Pick<V>(is_off, q.z * scale, q.z)};
}

template <class V>
inline V Dot(const Spatial<V>& a, const Spatial<V>& b) {
  return ((a.a[0] * b.a[0] + a.a[2] * b.a[2]) + (a.a[1] * b.a[1] + a.a[3] * b.a[3])) +
         (a.a[4] * b.a[4] + a.a[5] * b.a[5]);
}
template <class V>
inline void operator+=(Spatial<V>& a, const Spatial<V>& b) {
  for (int i = 0; i < 6; ++i) a.a[i] = a.a[i] + b.a[i];
}
// The sum of n vectors times numbers, in order; zero if n is 0.
template <class V>
inline Spatial<V> Combination(const Spatial<V>* vectors, const V* numbers, int n) {
  Spatial<V> sum;
  for (int i = 0; i < 6; ++i) {
    V s = n > 0 ? vectors[0].a[i] * numbers[0] : All<V>(0);
    for (int k = 1; k < n; ++k) s = s + vectors[k].a[i] * numbers[k];
    sum.a[i] = s;
  }
  return sum;
}
// The momentum of a body with the spatial inertia `inertia` (10 numbers, as in mjData::cinert).
template <class V>
inline Spatial<V> Momentum(const V* inertia, const Spatial<V>& motion) {
  const V *i = inertia, *v = motion.a;
  return {{i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
           i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
           i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
           i[8] * v[1] - i[7] * v[2] + i[9] * v[3],  //
           i[6] * v[2] - i[8] * v[0] + i[9] * v[4],  //
           i[7] * v[0] - i[6] * v[1] + i[9] * v[5]}};
}
// The cross products of a velocity with a motion and with a force.
template <class V>
inline Spatial<V> CrossMotion(const Spatial<V>& velocity, const Spatial<V>& motion) {
  const V *w = velocity.a, *v = motion.a;
  return {{-w[2] * v[1] + w[1] * v[2], w[2] * v[0] - w[0] * v[2], -w[1] * v[0] + w[0] * v[1],
           (-w[2] * v[4] + w[1] * v[5]) + (-w[5] * v[1] + w[4] * v[2]),
           (w[2] * v[3] - w[0] * v[5]) + (w[5] * v[0] - w[3] * v[2]),
           (-w[1] * v[3] + w[0] * v[4]) + (-w[4] * v[0] + w[3] * v[1])}};
}
template <class V>
inline Spatial<V> CrossForce(const Spatial<V>& velocity, const Spatial<V>& force) {
  const V *w = velocity.a, *f = force.a;
  return {{(-w[2] * f[1] + w[1] * f[2]) + (-w[5] * f[4] + w[4] * f[5]),
           (w[2] * f[0] - w[0] * f[2]) + (w[5] * f[3] - w[3] * f[5]),
           (-w[1] * f[0] + w[0] * f[1]) + (-w[4] * f[3] + w[3] * f[4]),  //
           -w[2] * f[4] + w[1] * f[5], w[2] * f[3] - w[0] * f[5], -w[1] * f[3] + w[0] * f[4]}};
}

}  // namespace parallel_pool::mujoco::lanes
