// Forces of a fluid at rest on bodies: on the equivalent box of a body, or on the ellipsoids of its
// geoms. MuJoCo's documentation, "Fluid forces".
#pragma once

#include "parallel_pool/envs/mujoco/lanes/kinematics.h"

namespace parallel_pool::mujoco::lanes {

// The angular and linear velocities at a place that moves with a body, in the axes `axes`.
template <class V>
inline void FindVelocityAt(const StepModel& m, const World<V>& w, int body, const Vec3<V>& place,
                           const Mat3<V>& axes, Vec3<V>& spin, Vec3<V>& slide) {
  const V* const c = w.cvel[body].a;
  const Vec3<V> turn = {c[0], c[1], c[2]};
  const Vec3<V> offset = place - w.subtree_com[m.bodies[body].root];
  spin = TransposeTimes(axes, turn);
  slide = TransposeTimes(axes, Vec3<V>{c[3], c[4], c[5]} - Cross(offset, turn));
}

// Adds a force and a torque at a place of a body to those on dofs: mj_applyFT.
template <class V>
inline void Apply(const StepModel& m, const World<V>& w, int body, const Vec3<V>& place,
                  const Vec3<V>& force, const Vec3<V>& torque, V* sum) {
  const Vec3<V> offset = place - w.subtree_com[m.bodies[body].root];
  m.bodies[body].dofs.ForEach([&](int v) {
    const V* const d = w.cdof[v].a;
    const Vec3<V> axis = {d[0], d[1], d[2]};
    sum[v] = sum[v] + SumOfProducts(Vec3<V>{d[3], d[4], d[5]} + Cross(axis, offset), force);
    sum[v] = sum[v] + SumOfProducts(axis, torque);
  });
}

template <class V>
inline V Length(const Vec3<V>& v) {
  return Sqrt<V>(v.x * v.x + v.y * v.y + v.z * v.z);
}
template <class V>
inline V InverseOrZero(const V& x) {
  return Pick<V>(x > mjMINVAL, 1 / x, All<V>(0));
}

// mj_ellipsoidFluidModel.
template <class V>
void AddEllipsoidForces(const StepModel& m, const World<V>& w, const EllipsoidDrag& drag, V* sum) {
  const int g = drag.geom, body = m.geoms[g].frame.body;
  Vec3<V> spin, slide;
  FindVelocityAt(m, w, body, w.geom_xpos[g], w.geom_xmat[g], spin, slide);
  // The mass of the fluid that is moved along.
  const double *const mass = drag.mass, *const inertia = drag.inertia;
  const Vec3<V> momentum = {mass[0] * slide.x, mass[1] * slide.y, mass[2] * slide.z};
  const Vec3<V> turning = {inertia[0] * spin.x, inertia[1] * spin.y, inertia[2] * spin.z};
  Vec3<V> torque = Cross(momentum, slide) + Cross(turning, spin), force = Cross(momentum, spin);
  // Lift, and drag. `normal` is that of the ellipsoid where the fluid meets it.
  const V speed = Length(slide);
  const Vec3<V> way = slide * InverseOrZero(speed);
  const double* const side = drag.side;
  const V width = side[0] * way.x * way.x + side[1] * way.y * way.y + side[2] * way.z * way.z;
  const V inverse = InverseOrZero(width);
  const Vec3<V> part = {side[0] * inverse, side[1] * inverse, side[2] * inverse};
  const V slant = way.x * (part.x * part.x) * way.x + way.y * (part.y * part.y) * way.y +
                  way.z * (part.z * part.z) * way.z;
  const V area = drag.square * Sqrt<V>(width * slant);
  const Vec3<V> normal = {part.x * way.x, part.y * way.y, part.z * way.z};
  const Vec3<V> magnus = Cross(spin, slide) * drag.magnus;
  const Vec3<V> kutta =
      Cross(Cross(normal, slide) * (drag.kutta * InverseOrZero(slant) * area), slide);
  const Vec3<V> friction = {spin.x * drag.moment[0], spin.y * drag.moment[1],
                            spin.z * drag.moment[2]};
  const V pull = drag.linear_viscosity +
                 drag.density * speed * (area * drag.blunt + drag.slender * (drag.area - area));
  const V twist = drag.angular_viscosity + drag.density * Length(friction);
  torque = torque - Vec3<V>{twist * spin.x, twist * spin.y, twist * spin.z};
  force = force + ((magnus + kutta) - Vec3<V>{pull * slide.x, pull * slide.y, pull * slide.z});
  Apply(m, w, body, w.geom_xpos[g], w.geom_xmat[g] * (force * drag.scale),
        w.geom_xmat[g] * (torque * drag.scale), sum);
}

// mj_inertiaBoxFluidModel.
template <class V>
void AddBoxForces(const StepModel& m, const World<V>& w, const Drag& drag, V* sum) {
  const Vec3<V>& place = w.xipos[drag.body];
  const Mat3<V>& axes = w.ximat[drag.body];
  Vec3<V> spin, slide;
  FindVelocityAt(m, w, drag.body, place, axes, spin, slide);
  const V turns[] = {spin.x, spin.y, spin.z}, pushes[] = {slide.x, slide.y, slide.z};
  V turning[3], pushing[3];
  for (int i = 0; i < 3; ++i) {
    const V turn = turns[i], push = pushes[i];
    turning[i] = turn * drag.spin;
    turning[i] = turning[i] - drag.turn[i] * Abs<V>(turn) * turn / 64.0;
    pushing[i] = push * drag.slide;
    pushing[i] = pushing[i] - drag.push[i] * Abs<V>(push) * push;
  }
  Apply(m, w, drag.body, place, axes * Vec3<V>{pushing[0], pushing[1], pushing[2]},
        axes * Vec3<V>{turning[0], turning[1], turning[2]}, sum);
}

template <bool kIsGeneral, class V>
void AddFluidForces(const StepModel& m, World<V>& w) {
  V sum[kMaxDofs];
  for (int v = 0; v < m.nv; ++v) sum[v] = All<V>(0);
  int next = 0;
  for (int k = 0; k < m.num_drags; ++k) {
    const Drag& drag = m.drags[k];
    if (kIsGeneral && drag.num_ellipsoids > 0) {
      for (int i = 0; i < drag.num_ellipsoids; ++i) {
        AddEllipsoidForces(m, w, m.ellipsoids[next++], sum);
      }
      continue;
    }
    AddBoxForces(m, w, drag, sum);
  }
  for (int v = 0; v < m.nv; ++v) w.qfrc_passive[v] = w.qfrc_passive[v] + sum[v];
}

}  // namespace parallel_pool::mujoco::lanes
