// The rows of constraints of several envs: joint limits, then contacts. mj_makeConstraint.
//
// Lanes share rows. A limit that acts in any lane has a row, which is zero in the others. Contacts
// have the same rows in each lane from the first one on, padded with zeros. Both are in the order
// of trees.
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

// The scalar product of two vectors, of some of their elements.
template <class V>
inline V Product(const V* x, const V* y, DofRange range, Blocks blocks = Blocks::kOfDot) {
  x += range.begin;
  y += range.begin;
  return Dot<V>(range.size(), [=](int k) { return x[k]; }, [=](int k) { return y[k]; }, blocks);
}

// The rows of a tree, or all: those of limits, then those of contacts.
struct RowRange {
  int first_limit, limits, first_contact, contacts;

  int size() const { return limits + contacts; }
  int operator[](int i) const {
    return i < limits ? first_limit + i : first_contact + (i - limits);
  }
};

// kNv: the number of dofs of a model of one tree, known to the compiler; 0: any, and any trees.
template <int kNv, class V>
struct ConstraintRows {
  static constexpr int kColumns = kNv > 0 ? kNv : kMaxDofs;

  int nv, num_limits, size;
  RowRange trees[kMaxDofs];
  int dof[2 * kMaxJoints];     // of a limit's row
  V sign[2 * kMaxJoints];      // of a limit's row: 1 at the low limit, -1 at the high one
  uint64_t dofs[kMaxRows];     // of a contact's row: bits of the dofs that it has in any lane
  unsigned lanes[kMaxRows];    // the lanes that have the row
  V J[kMaxRows][kColumns];     // of contacts
  V R[kMaxRows], D[kMaxRows];  // the regularizer, and 1 / R
  V pos[kMaxRows], margin[kMaxRows];
  V impedance[kMaxRows], stiffness[kMaxRows], damping[kMaxRows];
  V aref[kMaxRows], force[kMaxRows];

  RowRange all() const { return {0, num_limits, num_limits, size - num_limits}; }
  // All dofs, or those of a tree.
  DofRange all_dofs() const { return {0, kNv > 0 ? kNv : nv}; }
  DofRange dofs_of(const Tree& tree) const { return kNv > 0 ? all_dofs() : tree.dofs; }

  // The product of row i and a vector, summed over some dofs: its tree's, or all.
  V Times(int i, const V* x, DofRange range) const {
    return i < num_limits ? sign[i] * x[dof[i]] : Product(J[i], x, range);
  }
  V Times(int i, const V* x) const { return Times(i, x, all_dofs()); }

  // The lanes that have any of the rows.
  unsigned LanesOf(RowRange range) const {
    unsigned any = 0;
    for (int i = 0; i < range.size(); ++i) any |= lanes[range[i]];
    return any;
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
inline void AddLimits(const StepModel& m, const Tree& tree, const World<V>& w,
                      const ActiveLimits& limits, ConstraintRows<kNv, V>& rows) {
  const int end = limits.any == 0 ? 0 : tree.first_joint + tree.num_joints;
  for (int j = tree.first_joint; j < end; ++j) {
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
}

// Fills the rows of a contact with the motion of its point by each dof that moves only one of the
// bodies. (Those that move both would cancel exactly.)
template <int kNv, class V>
inline void FillContact(const StepModel& m, const World<V>& w, const Contact& contact, int k,
                        ConstraintRows<kNv, V>& rows) {
  const GeomPair& pair = m.pairs[contact.pair];
  const Body& body1 = m.bodies[m.geoms[pair.geom1].frame.body];
  const Body& body2 = m.bodies[m.geoms[pair.geom2].frame.body];
  const Vec3<V>& center = w.subtree_com[body2.dofs.empty() ? body1.root : body2.root];
  const Real *const f = contact.frame, mu = pair.friction;
  const Real o[3] = {contact.pos[0] - At(center.x, k), contact.pos[1] - At(center.y, k),
                     contact.pos[2] - At(center.z, k)};
  const auto dofs = (body1.dofs ^ body2.dofs).low;
  for (uint64_t left = dofs; left != 0; left &= left - 1) {
    const int v = __builtin_ctzll(left);
    Real c[6], at[3];
    for (int q = 0; q < 6; ++q) c[q] = At(w.cdof[v].a[q], k);
    at[0] = c[3] + (c[1] * o[2] - c[2] * o[1]);
    at[1] = c[4] + (c[2] * o[0] - c[0] * o[2]);
    at[2] = c[5] + (c[0] * o[1] - c[1] * o[0]);
    if (body1.dofs.low >> v & 1) {
      for (Real& x : at) x = -x;
    }
    Real along[3];  // the normal and both tangents
    for (int a = 0; a < pair.dimensions; ++a) {
      along[a] = 0;
      for (int i = 0; i < 3; ++i) along[a] += at[i] * f[3 * a + i];
    }
    if (pair.dimensions == 1) {
      At(rows.J[contact.row][v], k) = along[0];
      continue;
    }
    for (int a = 0; a < 2; ++a) {
      At(rows.J[contact.row + 2 * a][v], k) = along[0] + along[1 + a] * mu;
      At(rows.J[contact.row + 2 * a + 1][v], k) = along[0] + along[1 + a] * -mu;
    }
  }
  for (int q = 0; q < contact.rows; ++q) rows.dofs[contact.row + q] |= dofs;
}

// Adds the rows of a tree's contacts.
template <int kNv, class V>
inline void AddContacts(const StepModel& m, int tree, const World<V>& w, Contacts* contacts,
                        ConstraintRows<kNv, V>& rows) {
  const int first = rows.size;
  for (int k = 0; k < kLanesOf<V>; ++k) {
    int next = first;
    for (int c = 0; c < contacts[k].size; ++c) {
      Contact& contact = contacts[k].items[c];
      const GeomPair& pair = m.pairs[contact.pair];
      if (pair.tree != tree) continue;
      contact.row = next;
      contact.rows = contact.dist >= pair.law.margin ? 0 : pair.dimensions == 1 ? 1 : 4;
      if (contact.rows == 0) continue;
      const double impedance = Impedance(pair.law, contact.dist);
      double regularizer = Regularizer(pair.law, impedance);
      if (pair.dimensions == 3) {
        regularizer = PyramidRegularizer(regularizer, pair.friction, m.impratio);
      }
      for (int q = 0; q < contact.rows; ++q) {
        const int i = rows.AddContact(next++);
        rows.Set(i, k, pair.law, contact.dist, regularizer, impedance);
      }
      FillContact(m, w, contact, k, rows);
    }
  }
}

// Makes the rows of all lanes.
template <int kNv, class V>
void MakeRows(const StepModel& m, const World<V>& w, const ActiveLimits& limits, Contacts* contacts,
              ConstraintRows<kNv, V>& rows) {
  rows.nv = m.nv;
  rows.size = 0;
  for (int t = 0; t < m.ntree; ++t) {
    rows.trees[t].first_limit = rows.size;
    AddLimits(m, m.trees[t], w, limits, rows);
    rows.trees[t].limits = rows.size - rows.trees[t].first_limit;
  }
  rows.num_limits = rows.size;
  for (int t = 0; t < m.ntree; ++t) {
    rows.trees[t].first_contact = rows.size;
    AddContacts(m, t, w, contacts, rows);
    rows.trees[t].contacts = rows.size - rows.trees[t].first_contact;
  }
}

// The forces on some dofs, of the forces of rows that act on no others.
template <int kNv, class V>
inline void FindForcesOnDofs(const ConstraintRows<kNv, V>& rows, RowRange range, DofRange dofs,
                             V* qfrc_constraint) {
  for (int v = dofs.begin; v < dofs.end; ++v) qfrc_constraint[v] = All<V>(0);
  for (int i = range.first_limit; i < range.first_limit + range.limits; ++i) {
    V& force = qfrc_constraint[rows.dof[i]];
    force = force + rows.sign[i] * rows.force[i];
  }
  for (int i = range.first_contact; i < range.first_contact + range.contacts; ++i) {
    const V force = rows.force[i];
    if (Bits<V>(force != 0) == 0) continue;
    for (uint64_t left = rows.dofs[i]; left != 0; left &= left - 1) {
      const int v = __builtin_ctzll(left);
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
