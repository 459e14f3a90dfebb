// The rows of constraints of several envs: joint limits, then contacts. mj_makeConstraint.
//
// Lanes share rows. A limit that acts in any lane has a row, which is zero in the others. Contacts
// have the same rows in each lane from the first one on, padded with zeros.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/collision.h"

namespace parallel_pool::mujoco::lanes {

// The joint limits that act, as bits of lanes.
struct ActiveLimits {
  unsigned low[kMaxJoints], high[kMaxJoints];
  unsigned any;
};

template <class V>
inline ActiveLimits FindLimits(const StepModel& m, const World<V>& w) {
  ActiveLimits limits;
  limits.any = 0;
  for (int j = 0; m.has_limits && j < m.njnt; ++j) {
    const Joint& joint = m.joints[j];
    if (!joint.is_limited) continue;
    const V position = w.qpos[joint.position];
    limits.low[j] = Bits<V>(-(joint.low - position) < joint.margin);
    limits.high[j] = Bits<V>(joint.high - position < joint.margin);
    limits.any |= limits.low[j] | limits.high[j];
  }
  return limits;
}

// kNv: the number of dofs, known to the compiler; 0: that of the model.
template <int kNv, class V>
struct ConstraintRows {
  static constexpr int kColumns = kNv > 0 ? kNv : kMaxDofs;

  int nv, num_limits, size;
  int dof[2 * kMaxJoints];     // of a limit's row
  V sign[2 * kMaxJoints];      // of a limit's row: 1 at the low limit, -1 at the high one
  unsigned dofs[kMaxRows];     // of a contact's row: bits of the dofs that it has in any lane
  unsigned lanes[kMaxRows];    // the lanes that have the row
  V J[kMaxRows][kColumns];     // of contacts
  V R[kMaxRows], D[kMaxRows];  // the regularizer, and 1 / R
  V pos[kMaxRows], margin[kMaxRows];
  V impedance[kMaxRows], stiffness[kMaxRows], damping[kMaxRows];
  V aref[kMaxRows], force[kMaxRows];

  // The product of row i and a vector.
  V Times(int i, const V* x) const {
    if (i < num_limits) return sign[i] * x[dof[i]];
    const V* const row = J[i];
    return Dot<V>(kNv > 0 ? kNv : nv, [=](int k) { return row[k]; }, [=](int k) { return x[k]; });
  }

  int Add() {
    const V zero = All<V>(0);
    R[size] = D[size] = pos[size] = margin[size] = zero;
    impedance[size] = stiffness[size] = damping[size] = zero;
    dofs[size] = lanes[size] = 0;
    return size++;
  }
  // Adds a row of a contact, unless a lane before has it already.
  int AddContact(int i) {
    if (i < size) return i;
    Add();
    for (int v = 0; v < nv; ++v) J[i][v] = All<V>(0);
    return i;
  }
  void Set(int i, int lane, const ConstraintLaw& law, double distance, double regularizer,
           double impedance_of_it) {
    At(R[i], lane) = regularizer;
    At(D[i], lane) = 1 / regularizer;
    At(pos[i], lane) = distance;
    At(margin[i], lane) = law.margin;
    At(impedance[i], lane) = impedance_of_it;
    At(stiffness[i], lane) = law.stiffness;
    At(damping[i], lane) = law.damping;
    lanes[i] |= 1u << lane;
  }
};

template <int kNv, class V>
inline void AddLimits(const StepModel& m, const World<V>& w, const ActiveLimits& limits,
                      ConstraintRows<kNv, V>& rows) {
  for (int j = 0; limits.any != 0 && j < m.njnt; ++j) {
    const Joint& joint = m.joints[j];
    if (!joint.is_limited) continue;
    constexpr bool kSides[] = {false, true};
    for (const bool is_high : kSides) {
      const unsigned lanes = is_high ? limits.high[j] : limits.low[j];
      if (lanes == 0) continue;
      const int i = rows.Add();
      rows.dof[i] = joint.dof;
      rows.sign[i] = All<V>(0);
      ForEachLane(lanes, [&](int k) {
        const double position = At(w.qpos[joint.position], k);
        const double distance = is_high ? joint.high - position : -(joint.low - position);
        const double impedance = Impedance(m.limits[j], distance);
        At(rows.sign[i], k) = is_high ? -1 : 1;
        rows.Set(i, k, m.limits[j], distance, Regularizer(m.limits[j], impedance), impedance);
      });
    }
  }
  rows.num_limits = rows.size;
}

// Fills the rows of a contact with the motion of its point by each dof that moves only one of the
// bodies. (Those that move both would cancel exactly.)
template <int kNv, class V>
inline void FillContact(const StepModel& m, const World<V>& w, const Contact& contact, int k,
                        int first, ConstraintRows<kNv, V>& rows) {
  const GeomPair& pair = m.pairs[contact.pair];
  const Body& body1 = m.bodies[m.geoms[pair.geom1].frame.body];
  const Body& body2 = m.bodies[m.geoms[pair.geom2].frame.body];
  const Vec3<V>& center = w.subtree_com[body2.root];
  const double *const f = contact.frame, mu = pair.friction;
  const double o[3] = {contact.pos[0] - At(center.x, k), contact.pos[1] - At(center.y, k),
                       contact.pos[2] - At(center.z, k)};
  const unsigned dofs = body1.dofs ^ body2.dofs;
  for (unsigned left = dofs; left != 0; left &= left - 1) {
    const int v = __builtin_ctz(left);
    double c[6], at[3];
    for (int q = 0; q < 6; ++q) c[q] = At(w.cdof[v].a[q], k);
    at[0] = c[3] + (c[1] * o[2] - c[2] * o[1]);
    at[1] = c[4] + (c[2] * o[0] - c[0] * o[2]);
    at[2] = c[5] + (c[0] * o[1] - c[1] * o[0]);
    if (body1.dofs >> v & 1) {
      for (double& x : at) x = -x;
    }
    double along[3];  // the normal and both tangents
    for (int a = 0; a < pair.dimensions; ++a) {
      along[a] = at[0] * f[3 * a] + at[1] * f[3 * a + 1] + at[2] * f[3 * a + 2];
    }
    if (pair.dimensions == 1) {
      At(rows.J[first][v], k) = along[0];
      continue;
    }
    for (int a = 0; a < 2; ++a) {
      At(rows.J[first + 2 * a][v], k) = along[0] + along[1 + a] * mu;
      At(rows.J[first + 2 * a + 1][v], k) = along[0] + along[1 + a] * -mu;
    }
  }
  for (int q = 0; q < (pair.dimensions == 1 ? 1 : 4); ++q) rows.dofs[first + q] |= dofs;
}

// Makes the rows of all lanes.
template <int kNv, class V>
void MakeRows(const StepModel& m, const World<V>& w, const ActiveLimits& limits,
              const Contacts* contacts, ConstraintRows<kNv, V>& rows) {
  rows.nv = m.nv;
  rows.size = 0;
  AddLimits(m, w, limits, rows);
  for (int k = 0; k < kLanesOf<V>; ++k) {
    int next = rows.num_limits;
    for (int c = 0; c < contacts[k].size; ++c) {
      const Contact& contact = contacts[k].items[c];
      const GeomPair& pair = m.pairs[contact.pair];
      if (contact.dist >= pair.law.margin) continue;
      const double impedance = Impedance(pair.law, contact.dist);
      double regularizer = Regularizer(pair.law, impedance);
      if (pair.dimensions == 3) {
        regularizer = PyramidRegularizer(regularizer, pair.friction, m.impratio);
      }
      const int first = next;
      for (int q = 0; q < (pair.dimensions == 1 ? 1 : 4); ++q) {
        const int i = rows.AddContact(next++);
        rows.Set(i, k, pair.law, contact.dist, regularizer, impedance);
      }
      FillContact(m, w, contact, k, first, rows);
    }
  }
}

// The forces on dofs, of the forces of all rows.
template <int kNv, class V>
inline void FindForcesOnDofs(const ConstraintRows<kNv, V>& rows, V* qfrc_constraint) {
  for (int v = 0; v < rows.nv; ++v) qfrc_constraint[v] = All<V>(0);
  for (int i = 0; i < rows.num_limits; ++i) {
    V& force = qfrc_constraint[rows.dof[i]];
    force = force + rows.sign[i] * rows.force[i];
  }
  for (int i = rows.num_limits; i < rows.size; ++i) {
    const V force = rows.force[i];
    if (Bits<V>(force != 0) == 0) continue;
    for (unsigned dofs = rows.dofs[i]; dofs != 0; dofs &= dofs - 1) {
      const int v = __builtin_ctz(dofs);
      qfrc_constraint[v] = qfrc_constraint[v] + rows.J[i][v] * force;
    }
  }
}

// The reference accelerations of all rows.
template <int kNv, class V>
void FindReferences(const V* qvel, ConstraintRows<kNv, V>& rows) {
  for (int i = 0; i < rows.size; ++i) {
    rows.aref[i] = -rows.damping[i] * rows.Times(i, qvel) -
                   rows.stiffness[i] * rows.impedance[i] * (rows.pos[i] - rows.margin[i]);
  }
}

}  // namespace parallel_pool::mujoco::lanes
