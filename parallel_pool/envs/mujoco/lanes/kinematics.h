// Positions of bodies and geoms from joint positions: mj_kinematics.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/world.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
inline Vec3<V> PlaceOf(const World<V>& w, const FixedFrame& frame) {
  if (frame.same_frame == mjSAMEFRAME_BODY) return w.xpos[frame.body];
  if (frame.same_frame == mjSAMEFRAME_INERTIA) return w.xipos[frame.body];
  return w.xmat[frame.body] * frame.pos + w.xpos[frame.body];
}
template <class V>
inline Mat3<V> MatrixOf(const World<V>& w, const FixedFrame& frame) {
  switch (frame.same_frame) {
    case mjSAMEFRAME_NONE: {
      const Rotation4& q = frame.quat;
      return Rotation(w.xquat[frame.body] * Quat<double>{q.w, q.x, q.y, q.z});
    }
    case mjSAMEFRAME_BODY:
    case mjSAMEFRAME_BODYROT:
      return w.xmat[frame.body];
    default:
      return w.ximat[frame.body];
  }
}

// Turns or moves a body by a joint.
template <class V>
inline void MoveByJoint(const Joint& joint, V position, Vec3<V>& pos, Quat<V>& quat) {
  const V by = position - joint.reference;
  if (joint.type == mjJNT_SLIDE) {
    pos = pos + Turn(joint.axis, quat) * by;
    return;
  }
  V sine, cosine;
  SinCos<V>(by * 0.5, sine, cosine);
  const double* const axis = joint.axis;
  const Quat<V> turned = quat * Quat<V>{cosine, axis[0] * sine, axis[1] * sine, axis[2] * sine};
  if (!joint.is_centered) {
    const Vec3<V> anchor = Turn(joint.pos, quat) + pos;
    pos = anchor - Turn(joint.pos, turned);
  }
  quat = turned;
}

// The frame of a body without its joints.
template <bool kIsGeneral, class V>
inline void PlaceInParent(const StepModel& m, int b, const World<V>& w, Vec3<V>& pos,
                          Quat<V>& quat) {
  const Body& body = m.bodies[b];
  const int parent = body.parent;
  if (kIsGeneral && body.mocap >= 0) {
    pos = w.mocap_pos[body.mocap];
    quat = Normalized(w.mocap_quat[body.mocap]);
    return;
  }
  const Mat3<V>& axes = w.xmat[parent];
  if constexpr (kIsGeneral) {
    pos = parent == 0 ? w.body_pos[b] : axes * w.body_pos[b] + w.xpos[parent];
    quat = parent == 0 ? w.body_quat[b] : w.xquat[parent] * w.body_quat[b];
    return;
  }
  const Rotation4& q = body.quat;
  if (parent == 0) {
    pos = All3<V>(body.pos);
    quat = {All<V>(q.w), All<V>(q.x), All<V>(q.y), All<V>(q.z)};
    return;
  }
  pos = axes * body.pos + w.xpos[parent];
  quat = body.is_turned ? w.xquat[parent] * Quat<double>{q.w, q.x, q.y, q.z} : w.xquat[parent];
}

template <bool kIsGeneral, class V>
inline void PlaceBody(const StepModel& m, int b, World<V>& w) {
  const Body& body = m.bodies[b];
  const int end = body.first_joint + body.num_joints;
  Vec3<V> pos;
  Quat<V> quat;
  if (body.is_free) {
    const V* const q = w.qpos + m.joints[body.first_joint].position;
    pos = {q[0], q[1], q[2]};
    quat = Normalized(Quat<V>{q[3], q[4], q[5], q[6]});
    w.xanchor[body.first_joint] = pos;
    w.xaxis[body.first_joint] = All3<V>(m.joints[body.first_joint].axis);
  } else {
    PlaceInParent<kIsGeneral>(m, b, w, pos, quat);
    for (int j = body.first_joint; j < end; ++j) {
      const Joint& joint = m.joints[j];
      w.xaxis[j] = Turn(joint.axis, quat);
      w.xanchor[j] = joint.is_centered ? pos : Turn(joint.pos, quat) + pos;
      MoveByJoint<V>(joint, w.qpos[joint.position], pos, quat);
    }
  }
  quat = Normalized(quat);
  w.xquat[b] = quat;
  w.xpos[b] = pos;
  w.xmat[b] = Rotation(quat);
  w.xipos[b] = PlaceOf(w, body.inertia_frame);
  w.ximat[b] = MatrixOf(w, body.inertia_frame);
}

template <class V>
inline void PlaceGeom(const StepModel& m, int g, World<V>& w) {
  w.geom_xpos[g] = PlaceOf(w, m.geoms[g].frame);
  w.geom_xmat[g] = MatrixOf(w, m.geoms[g].frame);
}

// The length of a tendon that is not in space.
template <class V>
inline V LengthOf(const StepModel& m, const World<V>& w, int t) {
  const Tendon& tendon = m.tendons[t];
  V length = All<V>(0);
  for (int i = 0; i < tendon.size; ++i) {
    length = length + w.tendon_scale[t][i] * w.qpos[tendon.position[i]];
  }
  return length;
}

// Its velocity, times `gear`.
template <class V>
inline V VelocityOf(const StepModel& m, const World<V>& w, int t, const V* qvel, double gear) {
  const Tendon& tendon = m.tendons[t];
  const int* const by_dof = tendon.by_dof;
  return SparseDot<V>(
      tendon.size, [&](int i) { return w.tendon_scale[t][by_dof[i]] * gear; },
      [&](int i) { return qvel[tendon.dof[by_dof[i]]]; });
}

// kIsGeneral: StepModel::is_general.
template <bool kIsGeneral, class V>
void PlaceBodies(const StepModel& m, const Scope& scope, World<V>& w) {
  for (const int b : scope.bodies) PlaceBody<kIsGeneral>(m, b, w);
  for (const int g : scope.geoms) PlaceGeom(m, g, w);
}

// The frames of the world body, of fixed bodies, and of their geoms, which no step changes. Walls
// have their own.
template <bool kIsGeneral, class V>
void PlaceFixedBodies(const StepModel& m, World<V>& w) {
  const V zero = All<V>(0), one = All<V>(1);
  w.xpos[0] = w.xipos[0] = {zero, zero, zero};
  w.xquat[0] = {one, zero, zero, zero};
  w.xmat[0] = w.ximat[0] = {{one, zero, zero, zero, one, zero, zero, zero, one}};
  for (int b = 1; b < m.nbody; ++b) {
    if (!m.bodies[b].is_fixed) continue;
    PlaceBody<kIsGeneral>(m, b, w);
    w.cvel[b] = {{zero, zero, zero, zero, zero, zero}};
  }
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.bodies[m.geoms[g].frame.body].is_fixed && !m.geoms[g].is_wall) PlaceGeom(m, g, w);
  }
}

}  // namespace parallel_pool::mujoco::lanes
