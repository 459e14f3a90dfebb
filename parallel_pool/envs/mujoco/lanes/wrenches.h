// Forces of contacts on bodies (cfrc_ext, a part of mj_rnePostConstraint) and on touch sensors.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/constraints.h"
#include "parallel_pool/envs/mujoco/lanes/kinematics.h"

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

template <int kNv, class V>
void FindContactForces(const StepModel& m, const World<V>& w, const Contacts* contacts,
                       const ConstraintRows<kNv, V>& rows, Spatial<V>* cfrc_ext) {
  const V zero = All<V>(0);
  for (int b = 0; b < m.nbody; ++b) cfrc_ext[b] = {{zero, zero, zero, zero, zero, zero}};
  for (int k = 0; k < kLanesOf<V>; ++k) {
    ForEachForce(m, contacts[k], k, rows,
                 [&](const Contact& contact, const GeomPair& pair, const Real* local) {
                   const Real* const f = contact.frame;
                   Real force[3];
                   for (int i = 0; i < 3; ++i) {
                     force[i] = f[i] * local[0] + f[3 + i] * local[1] + f[6 + i] * local[2];
                   }
                   const int geoms[2] = {pair.geom1, pair.geom2};
                   for (const int geom : geoms) {
                     const int b = m.geoms[geom].frame.body;
                     if (b == 0) continue;
                     Real d[3];
                     Get(w.subtree_com[m.bodies[b].root], k, d);
                     for (int i = 0; i < 3; ++i) d[i] -= contact.pos[i];
                     const Real wrench[6] = {0 - (d[1] * force[2] - d[2] * force[1]),
                                             0 - (d[2] * force[0] - d[0] * force[2]),
                                             0 - (d[0] * force[1] - d[1] * force[0]),
                                             force[0],
                                             force[1],
                                             force[2]};
                     for (int i = 0; i < 6; ++i) {
                       At(cfrc_ext[b].a[i], k) += geom == pair.geom2 ? wrench[i] : -wrench[i];
                     }
                   }
                 });
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
