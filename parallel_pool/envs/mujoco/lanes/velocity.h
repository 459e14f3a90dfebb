// The velocity stage: velocities of bodies, passive forces, and bias forces. mj_comVel, mj_passive
// and mj_rne.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/fluid.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
inline void FindVelocities(const StepModel& m, const Scope& scope, World<V>& w) {
  const V zero = All<V>(0);
  const Spatial<V> nothing = {{zero, zero, zero, zero, zero, zero}};
  w.cvel[0] = nothing;
  for (const int b : scope.bodies) {
    const Body& body = m.bodies[b];
    Spatial<V> velocity = w.cvel[body.parent];
    int v = body.first_dof;
    if (body.is_free) {
      for (int i = 0; i < 3; ++i) w.cdof_dot[v + i] = nothing;
      velocity += Combination(w.cdof + v, w.qvel + v, 3);
      v += 3;
      for (int i = 0; i < 3; ++i) w.cdof_dot[v + i] = CrossMotion(velocity, w.cdof[v + i]);
      velocity += Combination(w.cdof + v, w.qvel + v, 3);
    } else {
      for (; v < body.first_dof + body.num_dofs; ++v) {
        w.cdof_dot[v] = CrossMotion(velocity, w.cdof[v]);
        velocity += Combination(w.cdof + v, w.qvel + v, 1);
      }
    }
    w.cvel[b] = velocity;
  }
}

// The velocity of the center of mass of each body and all below it: mj_subtreeVel.
template <class V>
void FindSubtreeVelocities(const StepModel& m, const World<V>& w, Vec3<V>* velocity) {
  for (int b = 0; b < m.nbody; ++b) {
    const V* const c = w.cvel[b].a;
    const Vec3<V> offset = w.xipos[b] - w.subtree_com[m.bodies[b].root];
    const Vec3<V> slide = Vec3<V>{c[3], c[4], c[5]} - Cross(offset, Vec3<V>{c[0], c[1], c[2]});
    velocity[b] = slide * m.bodies[b].mass;
  }
  for (int b = m.nbody - 1; b >= 0; --b) {
    if (b > 0) {
      Vec3<V>& parent = velocity[m.bodies[b].parent];
      parent = parent + velocity[b];
    }
    velocity[b] = velocity[b] * m.bodies[b].inverse_subtree_mass;
  }
}

// The angular and linear velocities of a site, in its own axes: mj_objectVelocity.
template <class V>
inline void FindSiteVelocity(const StepModel& m, const World<V>& w, const FixedFrame& site,
                             Vec3<V>& spin, Vec3<V>& slide) {
  FindVelocityAt(m, w, site.body, PlaceOf(w, site), MatrixOf(w, site), spin, slide);
}

// The values of all sensors of positions and velocities.
template <class V>
void FindSensors(const StepModel& m, const World<V>& w, Vec3<V>* values) {
  Vec3<V> subtree[kMaxBodies];
  if (m.has_subtree_sensors) FindSubtreeVelocities(m, w, subtree);
  for (int s = 0; s < m.num_sensors; ++s) {
    const int object = m.sensors[s].object;
    Vec3<V> spin, slide;
    switch (m.sensors[s].type) {
      case mjSENS_JOINTPOS:
        values[s].x = w.qpos[object];
        break;
      case mjSENS_JOINTVEL:
        values[s].x = w.qvel[object];
        break;
      case mjSENS_FRAMEPOS:
        values[s] = m.sensors[s].is_of_body ? w.xpos[object] : PlaceOf(w, m.sites[object]);
        break;
      case mjSENS_SUBTREECOM:
        values[s] = w.subtree_com[object];
        break;
      case mjSENS_SUBTREELINVEL:
        values[s] = subtree[object];
        break;
      default:
        FindSiteVelocity(m, w, m.sites[object], spin, slide);
        values[s] = m.sensors[s].type == mjSENS_GYRO ? spin : slide;
    }
  }
}

template <bool kIsGeneral, class V>
inline V DampingOf(const StepModel& m, const World<V>& w, int dof) {
  return kIsGeneral ? w.damping[dof] : All<V>(m.damping[dof]);
}

template <bool kIsGeneral, class V>
inline void FindPassiveForces(const StepModel& m, World<V>& w) {
  const V zero = All<V>(0);
  for (int v = 0; v < m.nv; ++v) {
    w.qfrc_spring[v] = zero;
    w.qfrc_damper[v] = m.damping[v] != 0 ? -w.qvel[v] * DampingOf<kIsGeneral>(m, w, v) : zero;
  }
  for (int j = 0; m.has_springs && j < m.njnt; ++j) {
    const Joint& joint = m.joints[j];
    if (!joint.has_spring) continue;
    w.qfrc_spring[joint.dof] = -(w.qpos[joint.position] - joint.spring_reference) * w.stiffness[j];
  }
  for (int t = 0; m.has_tendon_springs && t < m.ntendon; ++t) {
    const Tendon& tendon = m.tendons[t];
    const V length = LengthOf(m, w, t);
    const V over = Pick<V>(length > tendon.spring_high, length - tendon.spring_high,
                           Pick<V>(length < tendon.spring_low, length - tendon.spring_low, zero));
    const V force = -over * tendon.stiffness;
    for (int i = 0; i < tendon.size; ++i) {
      V& sum = w.qfrc_spring[tendon.dof[i]];
      sum = sum + w.tendon_scale[t][i] * force;
    }
  }
  for (int v = 0; v < m.nv; ++v) w.qfrc_passive[v] = w.qfrc_spring[v] + w.qfrc_damper[v];
  if (m.num_drags > 0) AddFluidForces<kIsGeneral>(m, w);
}

// The acceleration of the world body, which stands for gravity.
template <class V>
inline Spatial<V> Gravity(const StepModel& m) {
  const V zero = All<V>(0);
  return {{zero, zero, zero, All<V>(m.gravity[0] * -1), All<V>(m.gravity[1] * -1),
           All<V>(m.gravity[2] * -1)}};
}

// Bias forces: recursive Newton-Euler without accelerations.
template <class V>
inline void FindBiasForces(const StepModel& m, const Scope& scope, World<V>& w) {
  w.cacc[0] = Gravity<V>(m);
  for (const int b : scope.bodies) {
    const Body& body = m.bodies[b];
    const int v = body.first_dof;
    w.cacc[b] = w.cacc[body.carrier];
    w.cacc[b] += Combination(w.cdof_dot + v, w.qvel + v, body.num_dofs);
    w.cfrc_body[b] = Momentum(w.cinert[b], w.cacc[b]);
    w.cfrc_body[b] += CrossForce(w.cvel[b], Momentum(w.cinert[b], w.cvel[b]));
  }
  for (int k = scope.bodies.size - 1; k >= 0; --k) {
    const int b = scope.bodies.items[k], carrier = m.bodies[b].carrier;
    if (carrier != 0) w.cfrc_body[carrier] += w.cfrc_body[b];
  }
  for (int v = 0; v < m.nv; ++v) w.qfrc_bias[v] = Dot(w.cdof[v], w.cfrc_body[m.dof_body[v]]);
}

}  // namespace parallel_pool::mujoco::lanes
