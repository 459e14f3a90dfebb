// Rows of contacts that are in the envs' mjData: mj_instantiateContact.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/constraint_law.h"
#include "parallel_pool/envs/mujoco/lanes/rows.h"

namespace parallel_pool::mujoco::lanes {

// The contacts with the same number in several envs. Lanes that have none have zeros.
template <class V>
struct ContactSlot {
  static constexpr int kLanes = kLanesOf<V>;

  unsigned lanes;
  int rows;                         // the most of a lane
  int rows_of[kLanes], dimensions;  // dimensions: the most of a lane
  int body1[kLanes], body2[kLanes];
  Vec3<V> pos;
  V frame[9], friction[5];
  V dist, margin, solref[2], solref_of_friction[2], most_impedance, impedance;
};

// Gathers a contact of each lane of `lanes`: number c[k] of lane k. All have friction, or none has.
// `data`: of each lane.
template <class V>
void Gather(const StepModel& m, mjData* const* data, unsigned lanes, const int* c,
            ContactSlot<V>& slot) {
  const V zero = All<V>(0), one = All<V>(1);
  slot.lanes = lanes;
  slot.rows = slot.dimensions = 0;
  slot.pos = {zero, zero, zero};
  for (V& x : slot.frame) x = zero;
  for (V& x : slot.friction) x = one;
  slot.dist = slot.margin = zero;
  slot.solref[0] = slot.solref[1] = one;
  slot.solref_of_friction[0] = slot.solref_of_friction[1] = zero;
  slot.most_impedance = slot.impedance = All<V>(0.5);
  ForEachLane(lanes, [&](int k) {
    const mjContact& contact = data[k]->contact[c[k]];
    slot.rows_of[k] = m.is_elliptic || contact.dim == 1 ? contact.dim : 2 * (contact.dim - 1);
    if (slot.rows_of[k] > slot.rows) slot.rows = slot.rows_of[k];
    if (contact.dim > slot.dimensions) slot.dimensions = contact.dim;
    slot.body1[k] = m.geoms[contact.geom[0]].frame.body;
    slot.body2[k] = m.geoms[contact.geom[1]].frame.body;
    At(slot.pos.x, k) = contact.pos[0];
    At(slot.pos.y, k) = contact.pos[1];
    At(slot.pos.z, k) = contact.pos[2];
    for (int i = 0; i < 9; ++i) At(slot.frame[i], k) = contact.frame[i];
    for (int i = 0; i < 5; ++i) At(slot.friction[i], k) = contact.friction[i];
    At(slot.dist, k) = contact.dist;
    At(slot.margin, k) = contact.includemargin;
    for (int i = 0; i < 2; ++i) {
      At(slot.solref[i], k) = contact.solref[i];
      At(slot.solref_of_friction[i], k) = contact.solreffriction[i];
    }
    const ConstraintLaw law = MakeImpedance(contact.solimp, contact.includemargin);
    At(slot.most_impedance, k) = law.impedance[1];
    At(slot.impedance, k) = Impedance(law, contact.dist);
  });
}

template <class V>
inline V Larger(V x, double least) {
  return Pick<V>(x < least, All<V>(least), x);
}

// A number for two bodies.
template <class V>
inline int NumberOfBodies(int body1, int body2) {
  return body1 * kMaxBodies + body2;
}

// Fills the Jacobian of a slot's rows for the lanes of `group`, whose contacts have the same two
// bodies.
template <class V>
void FillJacobian(const StepModel& m, const World<V>& w, const ContactSlot<V>& slot, int first,
                  unsigned group, Rows<V>& rows) {
  const int some = __builtin_ctz(group);
  const Body &body1 = m.bodies[slot.body1[some]], &body2 = m.bodies[slot.body2[some]];
  const Vec3<V> offset1 = slot.pos - w.subtree_com[body1.root];
  const Vec3<V> offset2 = slot.pos - w.subtree_com[body2.root];
  const bool is_whole = group == slot.lanes;
  const Mask<V> mask = MaskOf<V>(group);
  const DofSet dofs = body1.dofs ^ body2.dofs;
  const V* const f = slot.frame;
  dofs.ForEach([&](int v) {
    const V* const c = w.cdof[v].a;
    const bool is_first = body1.dofs.Has(v);
    const Vec3<V>& o = is_first ? offset1 : offset2;
    V at[6] = {c[3] + (c[1] * o.z - c[2] * o.y),
               c[4] + (c[2] * o.x - c[0] * o.z),
               c[5] + (c[0] * o.y - c[1] * o.x),
               c[0],
               c[1],
               c[2]};
    if (is_first) {
      for (V& x : at) x = -x;
    }
    V along[6];  // the normal, two tangents, and turns around these
    for (int a = 0; a < slot.dimensions; ++a) {
      const V *const axis = f + 3 * (a % 3), *const motion = at + a / 3 * 3;
      along[a] = motion[0] * axis[0] + motion[1] * axis[1] + motion[2] * axis[2];
    }
    const auto set = [&](int row, const V& x) {
      V& J = rows.J(first + row)[v];
      J = is_whole ? x : Pick<V>(mask, x, J);
    };
    if (slot.dimensions == 1 || m.is_elliptic) {
      for (int a = 0; a < slot.dimensions; ++a) set(a, along[a]);
      return;
    }
    for (int a = 1; a < slot.dimensions; ++a) {
      set(2 * a - 2, along[0] + along[a] * slot.friction[a - 1]);
      set(2 * a - 1, along[0] + along[a] * -slot.friction[a - 1]);
    }
  });
  for (int i = 0; i < slot.rows; ++i) {
    rows.dofs[first + i] = rows.dofs[first + i] | dofs;
    if (m.is_sparse) rows.bodies[first + i] = NumberOfBodies<V>(slot.body1[some], slot.body2[some]);
  }
  const unsigned trees = body1.tree | body2.tree;
  ForEachLane(group, [&](int k) {
    for (int i = 0; i < slot.rows_of[k]; ++i) {
      rows.trees[first + i][k] = trees;
      rows.lanes[first + i] |= 1u << k;
    }
  });
}

// The stiffness and the damping of mj_makeImpedance.
template <class V>
inline V Stiffness(const V& most_impedance, const V* solref) {
  const V d = most_impedance, time = solref[0], ratio = solref[1];
  return Pick<V>(time > 0, 1 / Larger<V>(d * d * time * time * ratio * ratio, mjMINVAL),
                 -time / Larger<V>(d * d, mjMINVAL));
}
template <class V>
inline V Damping(const V& most_impedance, const V* solref) {
  const V d = most_impedance;
  return Pick<V>(solref[1] > 0, 2 / Larger<V>(d * solref[0], mjMINVAL),
                 -solref[1] / Larger<V>(d, mjMINVAL));
}

// Adds the rows of a slot, and returns the first.
template <class V>
int AddContact(const StepModel& m, const World<V>& w, ContactSlot<V>& slot, Rows<V>& rows) {
  const bool has_friction = slot.dimensions > 1, is_cone = has_friction && m.is_elliptic;
  const int first = rows.Add(is_cone ? RowKind::kCone : RowKind::kOneSided, slot.rows);
  if (has_friction && !is_cone) rows.pyramids[rows.num_pyramids++] = {first, slot.rows};
  V weight = All<V>(0);
  for (unsigned left = slot.lanes; left != 0;) {
    const int some = __builtin_ctz(left), b1 = slot.body1[some], b2 = slot.body2[some];
    unsigned group = 0;
    ForEachLane(left, [&](int k) {
      if (slot.body1[k] != b1 || slot.body2[k] != b2) return;
      group |= 1u << k;
      At(weight, k) = Real(m.bodies[b1].inverse_weight[0]) + m.bodies[b2].inverse_weight[0];
    });
    left &= ~group;
    FillJacobian(m, w, slot, first, group, rows);
  }
  V* const solrefs[] = {slot.solref, slot.solref_of_friction};
  for (V* const solref : solrefs) {
    solref[0] = Pick<V>(solref[0] > 0, Larger<V>(solref[0], 2 * m.timestep), solref[0]);
  }
  const V zero = All<V>(0), impedance = slot.impedance, most = slot.most_impedance;
  const V stiffness = Stiffness(most, slot.solref), damping = Damping(most, slot.solref);
  const V* const friction = slot.friction;
  const V diagonal =
      has_friction && !is_cone ? weight + friction[0] * friction[0] * weight : weight;
  const V normal = Larger<V>((1 - impedance) * diagonal / impedance, mjMINVAL);
  const V tangential = normal / (m.impratio < mjMINVAL ? mjMINVAL : m.impratio);
  const V mu = friction[0] * Sqrt<V>(tangential / normal);  // of the regularized cone
  const Mask<V> has_own = (slot.solref_of_friction[0] != 0) | (slot.solref_of_friction[1] != 0);
  const V damping_of_friction =
      is_cone ? Pick<V>(has_own, Damping(most, slot.solref_of_friction), damping) : damping;
  for (int i = 0; i < slot.rows; ++i) {
    const int row = first + i;
    const Mask<V> own = MaskOf<V>(rows.lanes[row]);
    const bool is_tangent = is_cone && i > 0;
    // Lanes whose contact has fewer rows than others.
    if (rows.lanes[row] != slot.lanes) {
      rows.dofs[row].ForEach([&](int v) {
        V& number = rows.J(row)[v];
        number = Pick<V>(own, number, zero);
      });
    }
    V regularizer = has_friction && !is_cone ? 2 * mu * mu * normal : normal;
    if (is_tangent) {
      rows.kind[row] = RowKind::kConeRest;
      const V own_friction = friction[i - 1];
      regularizer = i == 1 ? tangential
                           : tangential * friction[0] * friction[0] / (own_friction * own_friction);
    }
    if (is_cone) rows.mu[row] = Pick<V>(own, is_tangent ? friction[i - 1] : mu, zero);
    rows.R[row] = Pick<V>(own, regularizer, zero);
    rows.D[row] = Pick<V>(own, 1 / regularizer, zero);
    rows.pos[row] = is_tangent ? zero : slot.dist;
    rows.margin[row] = is_tangent ? zero : slot.margin;
    rows.impedance[row] = impedance;
    rows.stiffness[row] = is_tangent ? zero : stiffness;
    rows.damping[row] = is_tangent ? damping_of_friction : damping;
  }
  return first;
}

// Lanes whose next contacts have the same number here share rows: number c of each lane if they
// have the same kind; of a model with sparse rows, those of the same bodies, because the order of
// sums over a sparse row depends on its dofs.
template <class V>
inline int PlaceOf(const StepModel& m, const mjContact& contact, int c) {
  const int body1 = m.geoms[contact.geom[0]].frame.body,
            body2 = m.geoms[contact.geom[1]].frame.body;
  return 2 * (m.is_sparse ? NumberOfBodies<V>(body1, body2) : c) + (contact.dim > 1);
}

// Adds the rows of all contacts of the lanes of `lanes`. `first_rows`: of each lane, the first row
// of each contact that acts; it has room for kMostRows.
template <class V>
void AddContacts(const StepModel& m, const World<V>& w, mjData* const* data, unsigned lanes,
                 Rows<V>& rows, int (*first_rows)[kMostRows]) {
  ContactSlot<V> slot;
  int next[kLanesOf<V>] = {};
  ForEachLane(lanes, [&](int k) { rows.is_full |= data[k]->ncon > kMostRows; });
  while (!rows.is_full) {
    int place = -1;
    unsigned group = 0;
    ForEachLane(lanes, [&](int k) {
      while (next[k] < data[k]->ncon && data[k]->contact[next[k]].exclude) ++next[k];
      if (next[k] == data[k]->ncon) return;
      const int own = PlaceOf<V>(m, data[k]->contact[next[k]], next[k]);
      if (place >= 0 && own > place) return;
      if (own != place) group = 0;
      place = own;
      group |= 1u << k;
    });
    if (group == 0) return;
    Gather(m, data, group, next, slot);
    const int first = AddContact(m, w, slot, rows);
    ForEachLane(group, [&](int k) { first_rows[k][next[k]++] = first; });
  }
}

}  // namespace parallel_pool::mujoco::lanes
