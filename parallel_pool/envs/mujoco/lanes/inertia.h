// Centers of mass, the inertia matrix and its factors: mj_comPos, mj_makeM and mj_factorM.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/world.h"

namespace parallel_pool::mujoco::lanes {

// The inertia of a body around its tree's center of mass (10 numbers): three diagonal ones, xy, xz,
// yz, then mass times the offset, and the mass.
template <class V>
inline void FindInertia(const Body& body, const Mat3<V>& axes, const Vec3<V>& o, V* inertia) {
  const V* const r = axes.a;
  const double *const d = body.inertia, mass = body.mass;
  const V t[9] = {r[0] * d[0], r[3] * d[0], r[6] * d[0], r[1] * d[1], r[4] * d[1],
                  r[7] * d[1], r[2] * d[2], r[5] * d[2], r[8] * d[2]};
  inertia[0] = (r[0] * t[0] + r[1] * t[3] + r[2] * t[6]) + mass * (o.y * o.y + o.z * o.z);
  inertia[1] = (r[3] * t[1] + r[4] * t[4] + r[5] * t[7]) + mass * (o.x * o.x + o.z * o.z);
  inertia[2] = (r[6] * t[2] + r[7] * t[5] + r[8] * t[8]) + mass * (o.x * o.x + o.y * o.y);
  inertia[3] = (r[0] * t[1] + r[1] * t[4] + r[2] * t[7]) - mass * o.x * o.y;
  inertia[4] = (r[0] * t[2] + r[1] * t[5] + r[2] * t[8]) - mass * o.x * o.z;
  inertia[5] = (r[3] * t[2] + r[4] * t[5] + r[5] * t[8]) - mass * o.y * o.z;
  inertia[6] = mass * o.x;
  inertia[7] = mass * o.y;
  inertia[8] = mass * o.z;
  inertia[9] = All<V>(mass);
}

// The motion of a body by a joint, at the center of mass of its tree.
template <class V>
inline void FindMotions(const StepModel& m, int j, World<V>& w) {
  const Joint& joint = m.joints[j];
  const Vec3<V> arm = w.subtree_com[m.bodies[joint.body].root] - w.xanchor[j];
  const V zero = All<V>(0);
  Spatial<V>* const cdof = w.cdof + joint.dof;
  const auto turn = [&](const Vec3<V>& axis) -> Spatial<V> {
    const Vec3<V> linear = Cross(axis, arm);
    return {{axis.x, axis.y, axis.z, linear.x, linear.y, linear.z}};
  };
  if (joint.type == mjJNT_FREE) {
    const V* const r = w.xmat[joint.body].a;
    for (int i = 0; i < 3; ++i) {
      cdof[i] = {{zero, zero, zero, zero, zero, zero}};
      cdof[i].a[3 + i] = All<V>(1);
      cdof[3 + i] = turn({r[i], r[i + 3], r[i + 6]});
    }
  } else if (joint.type == mjJNT_SLIDE) {
    const Vec3<V>& axis = w.xaxis[j];
    cdof[0] = {{zero, zero, zero, axis.x, axis.y, axis.z}};
  } else {
    cdof[0] = turn(w.xaxis[j]);
  }
}

template <class V>
void FindCenters(const StepModel& m, const Scope& scope, World<V>& w) {
  for (const int b : scope.massive) w.subtree_com[b] = w.xipos[b] * m.bodies[b].mass;
  for (int i = scope.massive.size - 1; i > 0; --i) {
    const int b = scope.massive.items[i];
    Vec3<V>& parent = w.subtree_com[m.bodies[b].parent];
    parent = parent + w.subtree_com[b];
  }
  for (const int b : scope.massive) {
    const double inverse_mass = m.bodies[b].inverse_subtree_mass;
    w.subtree_com[b] = inverse_mass == 0 ? w.xipos[b] : w.subtree_com[b] * inverse_mass;
  }
  for (const int b : scope.bodies) {
    const Body& body = m.bodies[b];
    FindInertia<V>(body, w.ximat[b], w.xipos[b] - w.subtree_com[body.root], w.cinert[b]);
  }
  for (int j = 0; j < m.njnt; ++j) FindMotions(m, j, w);
}

// Factors a symmetric matrix in sparse lower rows into L' D L, in place: rows from the last to the
// first, and in each the ancestors from the nearest to the root. Returns the lanes in which the
// matrix is too close to singular: libmujoco changes its factors then.
template <class V>
inline unsigned Factor(const StepModel& m, V* a, V* inverse_diagonal) {
  V least = All<V>(1);
  for (int k = m.nv - 1; k >= 0; --k) {
    const int start = m.row[k], diagonal = start + m.row_size[k] - 1;
    const V inverse = 1 / a[diagonal];
    least = Pick<V>(a[diagonal] < least, a[diagonal], least);
    inverse_diagonal[k] = inverse;
    for (int e = diagonal - 1; e >= start; --e) {
      const int i = m.column[e], n = m.row_size[i];
      const V scale = -a[e] * inverse;
      V* const to = a + m.row[i];
      for (int t = 0; t < n; ++t) to[t] = to[t] + a[start + t] * scale;
    }
    for (int e = start; e < diagonal; ++e) a[e] = a[e] * inverse;
  }
  return Bits<V>(least < mjMINVAL);
}

// Solves L' D L x = b for some dofs; x is b before it, and begins with the number of dof `first`.
template <class V>
[[gnu::always_inline]] inline void SolveFrom(int first, const StepModel& m, DofRange dofs,
                                             const V* a, const V* inverse_diagonal, V* x_of_dofs) {
  const auto x = [=](int v) -> V& { return x_of_dofs[v - first]; };
  for (int k = dofs.end - 1; k >= dofs.begin; --k) {
    const int start = m.row[k], n = m.row_size[k] - 1;
    for (int t = 0; t < n; ++t) {
      x(m.column[start + t]) = x(m.column[start + t]) - a[start + t] * x(k);
    }
  }
  for (int k = dofs.begin; k < dofs.end; ++k) x(k) = x(k) * inverse_diagonal[k];
  for (int k = dofs.begin; k < dofs.end; ++k) {
    const int n = m.row_size[k] - 1, *const column = m.column + m.row[k];
    const V* const row = a + m.row[k];
    if (n <= 0) continue;
    x(k) =
        x(k) - SparseDot<V>(n, [=](int t) { return row[t]; }, [=](int t) { return x(column[t]); });
  }
}

template <class V>
inline void Solve(const StepModel& m, DofRange dofs, const V* a, const V* inverse_diagonal, V* x) {
  SolveFrom(0, m, dofs, a, inverse_diagonal, x);
}

// The inertia matrix by composite rigid bodies, and its factors. Returns the lanes as Factor does.
template <class V>
unsigned FindInertiaMatrix(const StepModel& m, const Scope& scope, World<V>& w) {
  for (const int b : scope.bodies) {
    for (int i = 0; i < 10; ++i) w.crb[b][i] = w.cinert[b][i];
  }
  for (int k = scope.bodies.size - 1; k >= 0; --k) {
    const int b = scope.bodies.items[k], parent = m.bodies[b].parent;
    if (parent == 0) continue;
    for (int i = 0; i < 10; ++i) w.crb[parent][i] = w.crb[parent][i] + w.crb[b][i];
  }
  for (int v = 0; v < m.nv; ++v) {
    if (m.is_simple[v]) {
      w.M[m.row[v]] = All<V>(m.constant_inertia[v]);
      continue;
    }
    V* number = w.M + m.row[v] + m.row_size[v] - 1;
    const Spatial<V> momentum = Momentum(w.crb[m.dof_body[v]], w.cdof[v]);
    *number = m.armature[v] + Dot(w.cdof[v], momentum);
    for (int u = m.dof_parent[v]; u >= 0; u = m.dof_parent[u]) *--number = Dot(w.cdof[u], momentum);
  }
  for (int i = 0; i < m.num_inertias; ++i) w.qLD[i] = w.M[i];
  return Factor(m, w.qLD, w.qLDiagInv);
}

// out = M x for some dofs, for a matrix in sparse lower rows: of each row the diagonal first, then
// from the nearest ancestor to the root. Both vectors begin with the number of dof `first`.
template <class V>
[[gnu::always_inline]] inline void TimesInertiaFrom(int first, const StepModel& m, DofRange dofs,
                                                    const V* M, const V* x, V* out) {
  for (int i = dofs.begin; i < dofs.end; ++i) {
    const V* const row = M + m.row[i];
    const int *const column = m.column + m.row[i], diagonal = m.row_size[i] - 1;
    V sum = row[diagonal] * x[i - first];
    for (int t = diagonal - 1; t >= 0; --t) {
      const int c = column[t] - first;
      sum = sum + row[t] * x[c];
      out[c] = out[c] + row[t] * x[i - first];
    }
    out[i - first] = sum;
  }
}

template <class V>
inline void TimesInertia(const StepModel& m, DofRange dofs, const V* M, const V* x, V* out) {
  TimesInertiaFrom(0, m, dofs, M, x, out);
}

}  // namespace parallel_pool::mujoco::lanes
