// Forces of constraints on bodies (cfrc_ext, by mj_rnePostConstraint), and sensors that feel
// forces.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/constraints.h"
#include "parallel_pool/envs/mujoco/lanes/velocity.h"

namespace parallel_pool::mujoco::lanes {

// Calls f(contact, pair, force) for each contact of a lane that acts. `force` is along the
// contact's normal and its two tangents.
template <int kNv, class V, class F>
inline void ForEachForce(const StepModel& m, const Contacts& contacts, int lane,
                         const ConstraintRows<kNv, V>& rows, const F& f) {
  for (int c = 0; c < contacts.size; ++c) {
    const Contact& contact = contacts.items[c];
    const GeomPair& pair = m.pairs[contact.pair];
    if (contact.rows == 0) continue;
    Real edges[4] = {}, force[3] = {0, 0, 0};
    for (int i = 0; i < contact.rows; ++i) {
      force[0] += edges[i] = At(rows.force[contact.row + i], lane);
    }
    if (contact.rows == 4) {
      force[1] = (edges[0] - edges[1]) * pair.friction;
      force[2] = (edges[2] - edges[3]) * pair.friction;
    }
    f(contact, pair, force);
  }
}

template <class V>
inline void ClearForces(const StepModel& m, Spatial<V>* cfrc_ext) {
  const V zero = All<V>(0);
  for (int b = 0; b < m.nbody; ++b) cfrc_ext[b] = {{zero, zero, zero, zero, zero, zero}};
}

// The i-th coordinate in the world of a vector along the axes of a contact. `V` only makes the
// function of each instruction set a function of its own.
template <class V, class T>
inline Real InWorld(const T* frame, const Real* v, int i) {
  return frame[i] * v[0] + frame[3 + i] * v[1] + frame[6 + i] * v[2];
}

// Adds a torque and a force at the place `pos` of a contact of lane k to the second geom's body,
// and subtracts them from the first's.
template <class V, class T>
inline void AddWrench(const StepModel& m, const World<V>& w, int k, const int* geoms, const T* pos,
                      const Real* torque, const Real* force, Spatial<V>* cfrc_ext) {
  for (int i = 0; i < 2; ++i) {
    const int b = m.geoms[geoms[i]].frame.body;
    if (b == 0) continue;
    Real d[3];
    Get(w.subtree_com[m.bodies[b].root], k, d);
    for (int c = 0; c < 3; ++c) d[c] -= pos[c];
    const Real wrench[6] = {torque[0] - (d[1] * force[2] - d[2] * force[1]),
                            torque[1] - (d[2] * force[0] - d[0] * force[2]),
                            torque[2] - (d[0] * force[1] - d[1] * force[0]),
                            force[0],
                            force[1],
                            force[2]};
    for (int c = 0; c < 6; ++c) At(cfrc_ext[b].a[c], k) += i == 1 ? wrench[c] : -wrench[c];
  }
}

template <int kNv, class V>
void FindContactForces(const StepModel& m, const World<V>& w, const Contacts* contacts,
                       const ConstraintRows<kNv, V>& rows, Spatial<V>* cfrc_ext) {
  ClearForces(m, cfrc_ext);
  for (int k = 0; k < kLanesOf<V>; ++k) {
    ForEachForce(m, contacts[k], k, rows,
                 [&](const Contact& contact, const GeomPair& pair, const Real* local) {
                   const int geoms[2] = {pair.geom1, pair.geom2};
                   const Real none[3] = {0, 0, 0};
                   Real force[3];
                   for (int i = 0; i < 3; ++i) force[i] = InWorld<V>(contact.frame, local, i);
                   AddWrench(m, w, k, geoms, contact.pos, none, force, cfrc_ext);
                 });
  }
}

// The values of all sensors of accelerations, forces and torques, by the forces on bodies:
// mj_rnePostConstraint, mj_objectAcceleration.
template <class V>
void FindForceSensors(const StepModel& m, const Scope& scope, const World<V>& w,
                      const Spatial<V>* cfrc_ext, Vec3<V>* values) {
  Spatial<V> cacc[kMaxBodies], cfrc_int[kMaxBodies];
  cacc[0] = Gravity<V>(m);
  for (const int b : scope.bodies) {
    const Body& body = m.bodies[b];
    const int v = body.first_dof;
    cacc[b] = cacc[body.carrier];
    cacc[b] += Combination(w.cdof_dot + v, w.qvel + v, body.num_dofs);
    cacc[b] += Combination(w.cdof + v, w.qacc + v, body.num_dofs);
    cfrc_int[b] = Momentum(w.cinert[b], cacc[b]);
    cfrc_int[b] += CrossForce(w.cvel[b], Momentum(w.cinert[b], w.cvel[b]));
    for (int i = 0; i < 6; ++i) cfrc_int[b].a[i] = cfrc_int[b].a[i] - cfrc_ext[b].a[i];
  }
  for (int k = scope.bodies.size - 1; k >= 0; --k) {
    const int b = scope.bodies.items[k], parent = m.bodies[b].parent;
    if (parent != 0) cfrc_int[parent] += cfrc_int[b];
  }
  for (int s = 0; s < m.num_force_sensors; ++s) {
    const ForceSensor& sensor = m.force_sensors[s];
    const FixedFrame& site = m.sites[sensor.site];
    const int b = site.body;
    const Vec3<V> offset = PlaceOf(w, site) - w.subtree_com[m.bodies[b].root];
    const Mat3<V> axes = MatrixOf(w, site);
    if (sensor.type != mjSENS_ACCELEROMETER) {
      const V* const f = cfrc_int[b].a;
      const Vec3<V> torque = {f[0], f[1], f[2]}, force = {f[3], f[4], f[5]};
      values[s] =
          TransposeTimes(axes, sensor.type == mjSENS_FORCE ? force : torque - Cross(offset, force));
      continue;
    }
    Vec3<V> spin, slide;
    FindSiteVelocity(m, w, site, spin, slide);
    const V* const a = cacc[b].a;
    const Vec3<V> pull = Vec3<V>{a[3], a[4], a[5]} - Cross(offset, Vec3<V>{a[0], a[1], a[2]});
    values[s] = TransposeTimes(axes, pull) + Cross(spin, slide);
  }
}

// The sums of normal forces of contacts in the zone of each touch sensor's site, for some lanes.
// for_each(k, f) calls f(geom1, geom2, pos, normal, force) for each contact of lane k that acts.
template <class V, class ForEach>
void SumTouches(const StepModel& m, const World<V>& w, unsigned lanes, const ForEach& for_each,
                V* touches) {
  for (int s = 0; s < m.num_touches; ++s) {
    const TouchSensor& sensor = m.touches[s];
    const FixedFrame& frame = m.sites[sensor.site];
    const Vec3<V> place = PlaceOf(w, frame);
    const Mat3<V> axes = MatrixOf(w, frame);
    touches[s] = All<V>(0);
    ForEachLane(lanes, [&](int k) {
      Real pos[3], mat[9];
      Get(place, k, pos);
      for (int i = 0; i < 9; ++i) mat[i] = At(axes.a[i], k);
      for_each(k, [&](int geom1, int geom2, const double* at, const double* normal, Real force) {
        const bool is_second = frame.body == m.geoms[geom2].frame.body;
        if (!is_second && frame.body != m.geoms[geom1].frame.body) return;
        if (IsFelt(sensor, pos, mat, at, normal, force, is_second)) At(touches[s], k) += force;
      });
    });
  }
}

template <int kNv, class V>
void FindTouches(const StepModel& m, const World<V>& w, const Contacts* contacts,
                 const ConstraintRows<kNv, V>& rows, V* touches) {
  const auto for_each = [&](int k, const auto& f) {
    ForEachForce(m, contacts[k], k, rows,
                 [&](const Contact& contact, const GeomPair& pair, const Real* force) {
                   f(pair.geom1, pair.geom2, Doubles(contact.pos), Doubles(contact.frame),
                     force[0]);
                 });
  };
  SumTouches(m, w, (1u << kLanesOf<V>)-1, for_each, touches);
}

}  // namespace parallel_pool::mujoco::lanes
