// Positions from velocities: mj_integratePos.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/world.h"

namespace parallel_pool::mujoco::lanes {

// Turns a quaternion by an angular velocity for `time`.
template <class V>
inline Quat<V> Turned(const Quat<V>& q, const V* velocity, double time) {
  const V x = velocity[0], y = velocity[1], z = velocity[2];
  const V speed = Sqrt<V>(x * x + y * y + z * z);
  const Mask<V> rests = speed < mjMINVAL;
  const V scale = 1 / speed, zero = All<V>(0);
  const Vec3<V> axis = {Pick<V>(rests, All<V>(1), x * scale), Pick<V>(rests, zero, y * scale),
                        Pick<V>(rests, zero, z * scale)};
  V sine, cosine;
  SinCos<V>(time * speed * 0.5, sine, cosine);
  return Normalized(q) * Quat<V>{cosine, axis.x * sine, axis.y * sine, axis.z * sine};
}

template <class V>
void Integrate(const StepModel& m, const V* qvel, double time, V* qpos) {
  for (int j = 0; j < m.njnt; ++j) {
    const Joint& joint = m.joints[j];
    V* const q = qpos + joint.position;
    const V* const v = qvel + joint.dof;
    if (joint.type != mjJNT_FREE) {
      q[0] = q[0] + time * v[0];
      continue;
    }
    for (int i = 0; i < 3; ++i) q[i] = q[i] + time * v[i];
    const Quat<V> turned = Turned(Quat<V>{q[3], q[4], q[5], q[6]}, v + 3, time);
    q[3] = turned.w;
    q[4] = turned.x;
    q[5] = turned.y;
    q[6] = turned.z;
  }
}

}  // namespace parallel_pool::mujoco::lanes
