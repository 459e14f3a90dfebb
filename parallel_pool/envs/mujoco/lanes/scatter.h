// Copies what a step computed in a lane to the env's mjData.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/kinematics.h"
#include "parallel_pool/envs/mujoco/lanes/stepper.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
inline void Scatter(const V* from, int n, int lane, mjtNum* to) {
  for (int i = 0; i < n; ++i) to[i] = At(from[i], lane);
}
template <class V>
inline void Gather(const mjtNum* from, int n, int lane, V* to) {
  for (int i = 0; i < n; ++i) At(to[i], lane) = from[i];
}

// Arrays of kStages. In tests, they show in which stage a difference begins.
template <class V>
void ScatterStages(const StepModel& m, const World<V>& w, int k, mjData* d) {
  Scatter(w.ximat[0].a, 9 * m.nbody, k, d->ximat);
  Scatter(&w.xanchor[0].x, 3 * m.njnt, k, d->xanchor);
  Scatter(&w.xaxis[0].x, 3 * m.njnt, k, d->xaxis);
  Scatter(w.crb[1], 10 * (m.nbody - 1), k, d->crb + 10);
  Scatter(w.cdof[0].a, 6 * m.nv, k, d->cdof);
  Scatter(w.cdof_dot[0].a, 6 * m.nv, k, d->cdof_dot);
  Scatter(w.M, m.num_inertias, k, d->M);
  Scatter(w.qLD, m.num_inertias, k, d->qLD);
  Scatter(w.qLDiagInv, m.nv, k, d->qLDiagInv);
  if (m.has_damping && !m.is_runge_kutta) Scatter(w.qHDiagInv, m.nv, k, d->qHDiagInv);
  Scatter(w.qfrc_spring, m.nv, k, d->qfrc_spring);
  Scatter(w.qfrc_damper, m.nv, k, d->qfrc_damper);
  Scatter(w.qfrc_passive, m.nv, k, d->qfrc_passive);
  Scatter(w.qfrc_bias, m.nv, k, d->qfrc_bias);
  Scatter(w.actuator_force, m.nu, k, d->actuator_force);
  Scatter(w.qfrc_smooth, m.nv, k, d->qfrc_smooth);
  Scatter(w.qacc_smooth, m.nv, k, d->qacc_smooth);
}

// As Scatter, for the first `lanes` lanes at once. to(k) is the place for lane k.
template <class V, class To>
inline void ScatterLanes(const V* from, int n, int lanes, const To& to) {
  int i = 0;
  if constexpr (kLanesOf<V> == 4) {
    for (; i + 4 <= n; i += 4) {
      const V* const f = from + i;
      const V a = __builtin_shufflevector(f[0], f[1], 0, 4, 2, 6);
      const V b = __builtin_shufflevector(f[0], f[1], 1, 5, 3, 7);
      const V c = __builtin_shufflevector(f[2], f[3], 0, 4, 2, 6);
      const V d = __builtin_shufflevector(f[2], f[3], 1, 5, 3, 7);
      const V turned[4] = {
          __builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(b, d, 0, 1, 4, 5),
          __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
      for (int k = 0; k < lanes; ++k) __builtin_memcpy(to(k) + i, &turned[k], sizeof(V));
    }
  }
  for (; i < n; ++i) {
    for (int k = 0; k < lanes; ++k) to(k)[i] = At(from[i], k);
  }
}

// The frames of bodies and geoms of the first `lanes` lanes, for a search for contacts. `is_first`:
// with those that are fixed.
template <class V>
void ScatterFrames(const StepModel& m, const Scope& scope, const World<V>& w, bool is_first,
                   int lanes, mjData* const* data) {
  const auto body = [&](int b) {
    ScatterLanes(w.xmat[b].a, 9, lanes, [=](int k) { return data[k]->xmat + 9 * b; });
    ScatterLanes(&w.xpos[b].x, 3, lanes, [=](int k) { return data[k]->xpos + 3 * b; });
  };
  const auto geom = [&](int g) {
    ScatterLanes(w.geom_xmat[g].a, 9, lanes, [=](int k) { return data[k]->geom_xmat + 9 * g; });
    ScatterLanes(&w.geom_xpos[g].x, 3, lanes, [=](int k) { return data[k]->geom_xpos + 3 * g; });
  };
  for (int b = 0; is_first && b < m.nbody; ++b) {
    if (m.bodies[b].is_fixed) body(b);
  }
  for (int g = 0; is_first && g < m.ngeom; ++g) {
    if (m.bodies[m.geoms[g].frame.body].is_fixed) geom(g);
  }
  for (const int b : scope.bodies) {
    if (!m.bodies[b].is_fixed) body(b);
  }
  for (const int g : scope.geoms) {
    if (!m.bodies[m.geoms[g].frame.body].is_fixed) geom(g);
  }
}

// Lengths of tendons at these positions, and their velocities.
template <class V>
void ScatterTendons(const StepModel& m, const World<V>& w, const V* qpos, const V* qvel, int k,
                    mjData* d) {
  for (int t = 0; t < m.ntendon; ++t) {
    const Tendon& tendon = m.tendons[t];
    double length = 0;
    for (int i = 0; i < tendon.size; ++i) {
      length += At(w.tendon_scale[t][i], k) * At(qpos[tendon.position[i]], k);
    }
    d->ten_length[t] = length;
    d->ten_velocity[t] = At(VelocityOf(m, w, t, qvel, 1), k);
  }
}

// The arrays of `reads`.
template <class V>
inline void ScatterReads(const StepModel& m, const World<V>& w, const Spatial<V>* cfrc_ext, int k,
                         unsigned reads, mjData* d) {
  if (reads & kPlaces) {
    Scatter(&w.xpos[0].x, 3 * m.nbody, k, d->xpos);
    Scatter(&w.xipos[0].x, 3 * m.nbody, k, d->xipos);
  }
  if (reads & kAxes) Scatter(w.xmat[0].a, 9 * m.nbody, k, d->xmat);
  if (reads & kQuaternions) Scatter(&w.xquat[0].w, 4 * m.nbody, k, d->xquat);
  // Sites, walls and geoms of the world body are where Begin has placed them.
  for (int s = 0; (reads & (kSites | kSiteAxes)) && s < m.nsite; ++s) {
    if (m.sites[s].body == 0) continue;
    const Vec3<V> place = PlaceOf(w, m.sites[s]);
    if (reads & kSites) Scatter(&place.x, 3, k, d->site_xpos + 3 * s);
    if ((reads & kSiteAxes) == 0) continue;
    const Mat3<V> axes = MatrixOf(w, m.sites[s]);
    Scatter(axes.a, 9, k, d->site_xmat + 9 * s);
  }
  for (int g = 0; (reads & (kGeoms | kGeomAxes)) && g < m.ngeom; ++g) {
    if (m.geoms[g].frame.body == 0 || m.geoms[g].is_wall) continue;
    if (reads & kGeoms) Scatter(&w.geom_xpos[g].x, 3, k, d->geom_xpos + 3 * g);
    if (reads & kGeomAxes) Scatter(w.geom_xmat[g].a, 9, k, d->geom_xmat + 9 * g);
  }
  if (reads & kInertias) {
    Scatter(w.cinert[1], 10 * (m.nbody - 1), k, d->cinert + 10);
    Scatter(w.cvel[0].a, 6 * m.nbody, k, d->cvel);
  }
  if (reads & kCenters) Scatter(&w.subtree_com[0].x, 3 * m.nbody, k, d->subtree_com);
  if (reads & kActuation) Scatter(w.qfrc_actuator, m.nv, k, d->qfrc_actuator);
  if (reads & kContactForces) Scatter(cfrc_ext[0].a, 6 * m.nbody, k, d->cfrc_ext);
  if (reads & kConstraints) Scatter(w.qfrc_constraint, m.nv, k, d->qfrc_constraint);
  if (reads & kStages) ScatterStages(m, w, k, d);
}

}  // namespace parallel_pool::mujoco::lanes
