// Rows that are the same in each lane: of welds, coupled joints, and losses by friction; and the
// part of welds' reference accelerations that comes from the change of their Jacobian.
// mj_instantiateEquality, mj_Jdotv and mj_instantiateFriction.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/forces.h"
#include "parallel_pool/envs/mujoco/lanes/rows.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
inline Vec3<V> Angular(const Spatial<V>& s) {
  return {s.a[0], s.a[1], s.a[2]};
}
template <class V>
inline Vec3<V> Linear(const Spatial<V>& s) {
  return {s.a[3], s.a[4], s.a[5]};
}

// q times the quaternion (0, axis).
template <class V>
inline Quat<V> TimesAxis(const Quat<V>& q, const Vec3<V>& axis) {
  if constexpr (kIsMujoco4) {
    return {-q.x * axis.x - q.y * axis.y - q.z * axis.z, q.w * axis.x - q.z * axis.y + q.y * axis.z,
            q.w * axis.y + q.z * axis.x - q.x * axis.z, q.x * axis.y - q.y * axis.x + q.w * axis.z};
  }
  return {-q.x * axis.x - q.y * axis.y - q.z * axis.z, q.w * axis.x + q.y * axis.z - q.z * axis.y,
          q.w * axis.y + q.z * axis.x - q.x * axis.z, q.w * axis.z + q.x * axis.y - q.y * axis.x};
}
template <class V>
inline Quat<V> Inverse(const Quat<V>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
// The change of q with the angular velocity `spin`.
template <class V>
inline Quat<V> Change(const Quat<V>& q, const Vec3<V>& spin) {
  return {0.5 * (-spin.x * q.x - spin.y * q.y - spin.z * q.z),
          0.5 * (spin.x * q.w + spin.y * q.z - spin.z * q.y),
          0.5 * (-spin.x * q.z + spin.y * q.w + spin.z * q.x),
          0.5 * (spin.x * q.y - spin.y * q.x + spin.z * q.w)};
}

// The pose of a weld's two bodies: its ends, and their axes.
template <class V>
struct WeldPose {
  Vec3<V> end1, end2;
  Quat<V> turned, inverse;  // body 1 as body 2 should be; the inverse of body 2
};

template <class V>
inline WeldPose<V> PoseOf(const Weld& weld, const World<V>& w) {
  const Rotation4& r = weld.relative;
  return {w.xmat[weld.body1] * weld.anchor1 + w.xpos[weld.body1],
          w.xmat[weld.body2] * weld.anchor2 + w.xpos[weld.body2],
          w.xquat[weld.body1] * Quat<double>{r.w, r.x, r.y, r.z}, Inverse(w.xquat[weld.body2])};
}

// The motion of the point `at` of a body by dof v.
template <class V>
inline Vec3<V> MotionOf(const StepModel& m, const World<V>& w, int body, const Vec3<V>& at, int v) {
  const Vec3<V> offset = at - w.subtree_com[m.bodies[body].root];
  return Linear(w.cdof[v]) + Cross(Angular(w.cdof[v]), offset);
}

// A tendon between two sites: mj_tendon.
template <class V>
struct Span {
  Vec3<V> from, to, along;  // the sites, and the direction between them
  V length;
};
template <class V>
Span<V> SpanOf(const StepModel& m, const World<V>& w, const Tendon& tendon) {
  const Vec3<V> from = PlaceOf(w, m.sites[tendon.sites[0]]);
  const Vec3<V> to = PlaceOf(w, m.sites[tendon.sites[1]]), apart = to - from;
  const V length = Length(apart), scale = 1 / length;
  const Mask<V> is_none = length < mjMINVAL;
  return {
      from,
      to,
      {Pick<V>(is_none, All<V>(1), apart.x * scale), Pick<V>(is_none, All<V>(0), apart.y * scale),
       Pick<V>(is_none, All<V>(0), apart.z * scale)},
      length};
}
// The Jacobian of its length, for the tendon's dofs.
template <class V>
void FindJacobian(const StepModel& m, const World<V>& w, const Tendon& tendon, const Span<V>& span,
                  V* J) {
  const int one = m.sites[tendon.sites[0]].body, other = m.sites[tendon.sites[1]].body;
  const V zero = All<V>(0);
  tendon.dofs.ForEach([&](int v) {
    Vec3<V> move = {zero, zero, zero};
    if (m.bodies[other].dofs.Has(v)) move = MotionOf(m, w, other, span.to, v);
    if (m.bodies[one].dofs.Has(v)) move = move - MotionOf(m, w, one, span.from, v);
    J[v] = SumOfProducts(move, span.along);
  });
}
// Adds a torque, and a force at a place of a body, to those on the body: mju_transformSpatial.
template <class V>
void AddForceAt(const StepModel& m, const World<V>& w, int body, const Vec3<V>& at,
                const Vec3<V>& torque, const Vec3<V>& force, Spatial<V>* cfrc_ext) {
  if (body == 0) return;
  const Vec3<V> turn = torque - Cross(w.subtree_com[m.bodies[body].root] - at, force);
  cfrc_ext[body] += Spatial<V>{{turn.x, turn.y, turn.z, force.x, force.y, force.z}};
}

template <class V>
void SetInAllLanes(Rows<V>& rows, int i, unsigned trees) {
  rows.lanes[i] = (1u << Rows<V>::kLanes) - 1;
  for (unsigned& t : rows.trees[i]) t = trees;
}

template <class V>
void AddWeld(const StepModel& m, const Weld& weld, const World<V>& w, Rows<V>& rows) {
  const Body &body1 = m.bodies[weld.body1], &body2 = m.bodies[weld.body2];
  const WeldPose<V> pose = PoseOf(weld, w);
  const Quat<V> off = pose.inverse * pose.turned;
  const Vec3<V> apart = pose.end1 - pose.end2;
  const double scale = weld.torque_scale;
  const V error[6] = {apart.x, apart.y, apart.z, off.x * scale, off.y * scale, off.z * scale};
  V size;
  for (int k = 0; k < Rows<V>::kLanes; ++k) {
    Real sum[4];
    for (int i = 0; i < 4; ++i) sum[i] = At(error[i], k) * At(error[i], k);
    Real rest = At(error[4], k) * At(error[4], k);
    rest += At(error[5], k) * At(error[5], k);
    At(size, k) = Impedance(weld.law, __builtin_sqrt((sum[0] + sum[2]) + (sum[1] + sum[3]) + rest));
  }
  const int first = rows.Add(RowKind::kEquality, 6);
  (body1.dofs | body2.dofs).ForEach([&](int v) {
    const V zero = All<V>(0);
    Vec3<V> move = {zero, zero, zero}, turn = move;
    if (body1.dofs.Has(v)) {
      move = MotionOf(m, w, weld.body1, pose.end1, v);
      turn = Angular(w.cdof[v]);
    }
    if (body2.dofs.Has(v)) {
      move = move - MotionOf(m, w, weld.body2, pose.end2, v);
      turn = turn - Angular(w.cdof[v]);
    }
    const Quat<V> q = TimesAxis(pose.inverse, turn) * pose.turned;
    const V column[6] = {move.x,           move.y, move.z, 0.5 * q.x * scale, 0.5 * q.y * scale,
                         0.5 * q.z * scale};
    for (int i = 0; i < 6; ++i) rows.J(first + i)[v] = column[i];
  });
  for (int i = 0; i < 6; ++i) {
    const int row = first + i;
    const double diagonal = i < 3 ? weld.law.diagonal : weld.turning_diagonal;
    rows.dofs[row] = body1.dofs | body2.dofs;
    SetInAllLanes(rows, row, body1.tree | body2.tree);
    const V regularizer = (1 - size) * diagonal / size;
    rows.R[row] = Pick<V>(regularizer < mjMINVAL, All<V>(mjMINVAL), regularizer);
    rows.D[row] = 1 / rows.R[row];
    rows.pos[row] = error[i];
    rows.impedance[row] = size;
    rows.stiffness[row] = All<V>(weld.law.stiffness);
    rows.damping[row] = All<V>(weld.law.damping);
  }
}

// Adds the forces of a weld's rows, and their torques, to those on its bodies.
template <class V>
void AddForces(const StepModel& m, const Weld& weld, const World<V>& w, const V* rows,
               Spatial<V>* cfrc_ext) {
  const WeldPose<V> pose = PoseOf(weld, w);
  const Vec3<V> force = {rows[0], rows[1], rows[2]}, turning = {rows[3], rows[4], rows[5]};
  const Quat<V> q = TimesAxis(w.xquat[weld.body2], turning) * Inverse(pose.turned);
  const Vec3<V> torque = Vec3<V>{q.x, q.y, q.z} * (0.5 * weld.torque_scale);
  AddForceAt(m, w, weld.body1, pose.end1, torque, force, cfrc_ext);
  AddForceAt(m, w, weld.body2, pose.end2, torque * -1, force * -1, cfrc_ext);
}
// Adds the force of a span: `force` drives its ends apart.
template <class V>
void AddForces(const StepModel& m, const Tendon& tendon, const World<V>& w, const V& force,
               Spatial<V>* cfrc_ext) {
  const Span<V> span = SpanOf(m, w, tendon);
  const V zero = All<V>(0);
  const Vec3<V> none = {zero, zero, zero};
  AddForceAt(m, w, m.sites[tendon.sites[0]].body, span.from, none, span.along * -force, cfrc_ext);
  AddForceAt(m, w, m.sites[tendon.sites[1]].body, span.to, none, span.along * force, cfrc_ext);
}

template <class V>
inline V PositionOf(const StepModel& m, const World<V>& w, const Coupled& c) {
  return c.tendon < 0 ? w.qpos[c.position] : LengthOf(m, w, c.tendon);
}
// Adds its Jacobian times `factor`.
template <class V>
inline void AddJacobian(const StepModel& m, const World<V>& w, const Coupled& c, const V& factor,
                        V* J) {
  if (c.tendon < 0) {
    J[c.dof] = J[c.dof] + factor;
    return;
  }
  const Tendon& tendon = m.tendons[c.tendon];
  for (int i = 0; i < tendon.size; ++i) {
    V& number = J[tendon.dof[i]];
    number = number + w.tendon_scale[c.tendon][i] * factor;
  }
}

template <class V>
void AddCoupling(const StepModel& m, const Coupling& c, const World<V>& w, Rows<V>& rows) {
  const int i = rows.Add(RowKind::kEquality, 1);
  const double* const p = c.polynomial;
  V error = PositionOf(m, w, c.first) - c.first.reference - p[0];
  AddJacobian(m, w, c.first, All<V>(1), rows.J(i));
  if (c.has_second) {
    const V x = PositionOf(m, w, c.second) - c.second.reference;
    error = error - (p[1] * x + p[2] * x * x + p[3] * x * x * x + p[4] * x * x * x * x);
    const V slope = p[1] + 2 * p[2] * x + 3 * p[3] * x * x + 4 * p[4] * x * x * x;
    AddJacobian(m, w, c.second, -slope, rows.J(i));
  }
  rows.dofs[i] = c.dofs;
  SetInAllLanes(rows, i, c.trees);
  for (int k = 0; k < Rows<V>::kLanes; ++k) {
    const double impedance = Impedance(c.law, At(error, k));
    At(rows.impedance[i], k) = impedance;
    At(rows.R[i], k) = Regularizer(c.law, impedance);
    At(rows.D[i], k) = 1 / At(rows.R[i], k);
  }
  rows.pos[i] = error;
  rows.stiffness[i] = All<V>(c.law.stiffness);
  rows.damping[i] = All<V>(c.law.damping);
}

template <class V>
void AddLoss(const StepModel& m, const FrictionLoss& loss, Rows<V>& rows) {
  const int i = rows.Add(RowKind::kFriction, 1, loss.dof);
  SetInAllLanes(rows, i, m.bodies[m.dof_body[loss.dof]].tree);
  rows.sign[i] = All<V>(1);
  rows.R[i] = All<V>(loss.regularizer);
  rows.D[i] = All<V>(1 / loss.regularizer);
  rows.loss[i] = All<V>(loss.most);
  rows.impedance[i] = All<V>(loss.impedance);
  rows.damping[i] = All<V>(loss.damping);
}

// The derivative of the Jacobian of a body's point `at`, times qvel: of its place and its turn.
template <class V>
inline void ChangeOfMotion(const StepModel& m, const World<V>& w, int b, const Vec3<V>& at,
                           Vec3<V>& move, Vec3<V>& turn) {
  const Body& body = m.bodies[b];
  const V zero = All<V>(0);
  V J[6][kMaxDofs];
  for (V(&row)[kMaxDofs] : J) {
    for (int v = 0; v < m.nv; ++v) row[v] = zero;
  }
  const Vec3<V> offset = at - w.subtree_com[body.root];
  const Vec3<V> speed = Linear(w.cvel[b]) - Cross(offset, Angular(w.cvel[b]));
  body.dofs.ForEach([&](int v) {
    const Body& mover = m.bodies[m.dof_body[v]];
    // The last three dofs of a free joint turn with the body.
    const bool turns = mover.is_free && v >= mover.first_dof + 3;
    const Spatial<V> change = turns ? CrossMotion(w.cvel[m.dof_body[v]], w.cdof[v]) : w.cdof_dot[v];
    const Vec3<V> first = Cross(Angular(change), offset);
    const Vec3<V> second = Cross(Angular(w.cdof[v]), speed);
    J[0][v] = change.a[3] + first.x + second.x;
    J[1][v] = change.a[4] + first.y + second.y;
    J[2][v] = change.a[5] + first.z + second.z;
    for (int i = 0; i < 3; ++i) J[3 + i][v] = change.a[i];
  });
  V out[6];
  for (int i = 0; i < 6; ++i) {
    out[i] = m.is_sparse ? zero : RowTimes(J[i], body.dofs, m.nv, w.qvel);
  }
  if (m.is_sparse) {  // mju_dotSparseX3 has one sum
    body.dofs.ForEach([&](int v) {
      for (int i = 0; i < 6; ++i) out[i] = out[i] + J[i][v] * w.qvel[v];
    });
  }
  move = {out[0], out[1], out[2]};
  turn = {out[3], out[4], out[5]};
}

// Subtracts it from the six reference accelerations of a weld.
template <class V>
void CorrectReferences(const StepModel& m, const Weld& weld, const World<V>& w, V* aref) {
  const WeldPose<V> pose = PoseOf(weld, w);
  Vec3<V> move1, turn1, move2, turn2;
  ChangeOfMotion(m, w, weld.body1, pose.end1, move1, turn1);
  ChangeOfMotion(m, w, weld.body2, pose.end2, move2, turn2);
  const Vec3<V> spin1 = Angular(w.cvel[weld.body1]), spin2 = Angular(w.cvel[weld.body2]);
  const Vec3<V> spin = spin1 - spin2, turn = turn1 - turn2, move = move1 - move2;
  const Rotation4& r = weld.relative;
  const Quat<V> turned_change =
      Change(w.xquat[weld.body1], spin1) * Quat<double>{r.w, r.x, r.y, r.z};
  const Quat<V> inverse_change = Inverse(Change(w.xquat[weld.body2], spin2));
  const Quat<V> a = TimesAxis(inverse_change, spin) * pose.turned;
  const Quat<V> b = TimesAxis(pose.inverse, turn) * pose.turned;
  const Quat<V> c = TimesAxis(pose.inverse, spin) * turned_change;
  aref[0] = aref[0] - move.x;
  aref[1] = aref[1] - move.y;
  aref[2] = aref[2] - move.z;
  aref[3] = aref[3] - 0.5 * (a.x + b.x + c.x) * weld.torque_scale;
  aref[4] = aref[4] - 0.5 * (a.y + b.y + c.y) * weld.torque_scale;
  aref[5] = aref[5] - 0.5 * (a.z + b.z + c.z) * weld.torque_scale;
}

}  // namespace parallel_pool::mujoco::lanes
