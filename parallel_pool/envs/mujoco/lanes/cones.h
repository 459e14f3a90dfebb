// Contacts with elliptic friction cones. Where the force is at the cone's side (the middle zone),
// it and its Hessian depend on all rows of the contact. mj_constraintUpdate and HessianCone.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/cholesky.h"
#include "parallel_pool/envs/mujoco/lanes/island.h"

namespace parallel_pool::mujoco::lanes {

// The zone of a residual: above the cone there is no force; below it, each row acts by itself.
template <class V>
struct Zone {
  Mask<V> top, bottom, middle;
};

// `normal` and `tangent`: the residual's parts, scaled by friction.
template <class V>
inline Zone<V> ZoneOf(const V& mu, const V& normal, const V& tangent) {
  const Mask<V> is_flat = tangent <= 0;
  const Mask<V> none = {}, top = (normal >= mu * tangent) | (is_flat & (normal >= 0));
  const Mask<V> is_below = (mu * normal + tangent <= 0) | (is_flat & (normal < 0));
  const Mask<V> bottom = (top == none) & is_below;
  return {top, bottom, (top | bottom) == none};
}

template <class V>
class Cones {
 public:
  // Sets the forces of the cone of row i with these residuals, and the lanes in which its rows act
  // by themselves. Adds its cost. Returns its number of rows.
  int FindForces(Island<V>& rows, int i, const V* residual, unsigned* acts, V& cost) {
    const int n = rows.ConeSize(i);
    const V m = rows.mu[i], zero = All<V>(0), *const D = rows.D + i, *const r = residual + i;
    V u[kConeRows] = {r[0] * m};
    for (int j = 1; j < n; ++j) u[j] = r[j] * rows.mu[i + j];
    V squared = u[1] * u[1];
    for (int j = 2; j < n; ++j) squared = squared + u[j] * u[j];
    const V normal = u[0], tangent = Sqrt<V>(squared);
    const Zone<V> zone = ZoneOf(m, normal, tangent);
    const Mask<V> is_middle = zone.middle;
    V below = cost;
    for (int j = 0; j < n; ++j) {
      below = below + 0.5 * D[j] * r[j] * r[j];
      rows.force[i + j] = Pick<V>(zone.bottom, -D[j] * r[j], zero);
      acts[i + j] = Bits<V>(zone.bottom);
    }
    cost = Pick<V>(zone.bottom, below, cost);
    middle_[i] = Bits<V>(is_middle);
    if (middle_[i] == 0) return n;
    const V weight = D[0] / (m * m * (1 + m * m)), rest = normal - m * tangent;
    cost = Pick<V>(is_middle, cost + 0.5 * weight * rest * rest, cost);
    const V along = -weight * rest * m;
    rows.force[i] = Pick<V>(is_middle, along, rows.force[i]);
    for (int j = 1; j < n; ++j) {
      V& force = rows.force[i + j];
      const V share = kIsMujoco4 ? -along * (u[j] / tangent) : -along / tangent * u[j];
      force = Pick<V>(is_middle, share * rows.mu[i + j], force);
    }
    SetHessian(rows, i, n, weight, u, tangent);
    return n;
  }

  // Whether a cone is in the middle zone in any lane.
  bool AnyIsMiddle(const Island<V>& rows) const {
    for (int i = 0; rows.has_cones && i < rows.size; ++i) {
      if (rows.kind(i) == RowKind::kCone && middle_[i] != 0) return true;
    }
    return false;
  }
  // Adds the Hessians of the cones in the middle zone to the factor of a Hessian.
  void AddTo(const Island<V>& rows, Cholesky<0, V>& hessian) const {
    for (int i = 0; i < rows.size; ++i) {
      if (rows.kind(i) == RowKind::kCone && middle_[i] != 0) AddOne(rows, i, hessian);
    }
  }

 private:
  void SetHessian(const Island<V>& rows, int i, int n, const V& weight, const V* u,
                  const V& tangent) {
    const V m = rows.mu[i], normal = u[0];
    V slope = -m / tangent, curve = m * normal / (tangent * tangent * tangent);
    V diagonal = m * m - m * normal / tangent, turned[kConeRows];
    if (kIsMujoco4) {  // it divides by the tangent first
      for (int j = 1; j < n; ++j) turned[j] = u[j] / tangent;
      slope = -m;
      curve = m * (normal / tangent);
      diagonal = m * m - curve;
      u = turned;
    }
    for (int k = 0; k < n; ++k) {
      const V scale = weight * rows.mu[i + k];
      for (int j = k; j < n; ++j) {
        V h = k > 0 ? curve * u[j] * u[k] : j > 0 ? slope * u[j] : All<V>(1);
        if (k > 0 && j == k) h = h + diagonal;
        hessian_[i + j][k] = h * (scale * rows.mu[i + j]);
      }
    }
  }

  // Adds J' L L' J of the contact, where L L' is its own Hessian, column by column of L.
  void AddOne(const Island<V>& rows, int i, Cholesky<0, V>& hessian) const {
    const int n = rows.ConeSize(i);
    const V zero = All<V>(0);
    const Mask<V> is_middle = MaskOf<V>(middle_[i]);
    V l[kConeRows][kConeRows];
    for (int j = 0; j < n; ++j) {
      V d = Pick<V>(is_middle, hessian_[i + j][j], All<V>(1));
      if (j > 0) d = d - Sum(l[j], l[j], j);
      const Mask<V> is_small = d < mjMINVAL;
      l[j][j] = Sqrt<V>(Pick<V>(is_small, All<V>(mjMINVAL), d));
      const V scale = Pick<V>(is_small, zero, 1 / l[j][j]);
      for (int q = j + 1; q < n; ++q) {
        const V x = hessian_[i + q][j];
        l[q][j] = (j > 0 ? x - Sum(l[q], l[j], j) : x) * scale;
      }
    }
    DofSet dofs = {};
    for (int j = 0; j < n; ++j) dofs = dofs | rows.dofs(i + j);
    const int first = dofs.First();
    for (int c = 0; c < n; ++c) {
      V x[kMaxDofs];
      for (int v = first; v < rows.nv; ++v) {
        V sum = zero;
        for (int r = c; dofs.Has(v) && r < n; ++r) sum = sum + rows.J(i + r)[v] * l[r][c];
        x[v] = Pick<V>(is_middle, sum, zero);
      }
      hessian.Update(x, All<V>(1), first);
    }
  }
  // The sum of up to three products.
  static V Sum(const V* a, const V* b, int n) {
    V sum = a[0] * b[0];
    for (int k = 1; k < n; ++k) sum = sum + a[k] * b[k];
    return sum;
  }

  unsigned middle_[kMostRows];       // of normals: the lanes in the middle zone
  V hessian_[kMostRows][kConeRows];  // of cones in it: the rows of the lower triangle
};

// The cost of a cone along a line.
template <class V>
struct ConeLine {
  V mu, weight;
  V cost0, cost1, cost2;                     // of the bottom zone
  V normal, normal_change;                   // scaled by friction
  V tangent, tangent_change, change_change;  // products of the tangents' residuals and changes
  // The tangents themselves, for MuJoCo 4.
  int tangents;
  V start[kConeRows - 1], by[kConeRows - 1];

  ConeLine() = default;
  ConeLine(const Island<V>& rows, int i, const V* residual, const V* change) {
    const int n = rows.ConeSize(i);
    mu = rows.mu[i];
    tangents = n - 1;
    tangent = tangent_change = change_change = All<V>(0);
    for (int j = 0; j < n; ++j) {
      const V r = residual[i + j], D = rows.D[i + j], c = change[i + j], weighted = D * r;
      cost0 = j > 0 ? cost0 + r * weighted : r * weighted;
      cost1 = j > 0 ? cost1 + c * weighted : c * weighted;
      cost2 = j > 0 ? cost2 + c * D * c : c * D * c;
      if (j == 0) continue;
      const V a = start[j - 1] = r * rows.mu[i + j], b = by[j - 1] = c * rows.mu[i + j];
      tangent = tangent + a * a;
      tangent_change = tangent_change + a * b;
      change_change = change_change + b * b;
    }
    cost0 = cost0 * 0.5;
    cost2 = cost2 * 0.5;
    normal = residual[i] * mu;
    normal_change = change[i] * mu;
    weight = rows.D[i] / ((mu * mu) * (1 + mu * mu));
  }

  // Adds what it costs at alpha, relative to 0.
  void Add(const V& alpha, V& cost, V& slope, V& curvature) const {
    const V zero = All<V>(0);
    const V T0 = Pick<V>(tangent <= 0, zero, Sqrt<V>(tangent));
    const V N = normal + alpha * normal_change;
    const Way way = WayTo(alpha);
    const V T = Pick<V>(way.squared <= 0, zero, Sqrt<V>(way.squared));
    const Zone<V> from = ZoneOf(mu, normal, T0), to = ZoneOf(mu, N, T);
    const V rest0 = normal - mu * T0, rest = N - mu * T;
    const V moved = way.growth / (T + T0);
    const V rest_change = alpha * normal_change - mu * moved;
    const V quadratic = alpha * (alpha * cost2 + cost1);
    const V below0 = mu * normal + T0, below = mu * N + T;
    V by = zero;
    by = Pick<V>(from.bottom & to.bottom, alpha * alpha * cost2 + alpha * cost1, by);
    by = Pick<V>(from.middle & to.middle, 0.5 * weight * rest_change * (2 * rest0 + rest_change),
                 by);
    by = Pick<V>(from.middle & to.bottom, quadratic + 0.5 * weight * below0 * below0, by);
    by = Pick<V>(from.bottom & to.middle, quadratic - 0.5 * weight * below * below, by);
    by = Pick<V>(from.top & to.bottom, alpha * alpha * cost2 + alpha * cost1 + cost0, by);
    by = Pick<V>(from.top & to.middle, 0.5 * weight * rest * rest, by);
    by = Pick<V>(from.middle & to.top, -0.5 * weight * rest0 * rest0, by);
    by = Pick<V>(from.bottom & to.top, -cost0, by);
    cost = cost + by;
    slope = Pick<V>(to.bottom, slope + (2 * alpha * cost2 + cost1), slope);
    curvature = Pick<V>(to.bottom, curvature + 2 * cost2, curvature);
    if (kIsMujoco4) return AddMiddle(way, T, N, to.middle, slope, curvature);
    const V T1 = (tangent_change + alpha * change_change) / T;
    const V T2 = change_change / T - (tangent_change + alpha * change_change) * T1 / (T * T);
    const V d = normal_change - mu * T1;
    slope = Pick<V>(to.middle, slope + weight * rest * d, slope);
    curvature = Pick<V>(to.middle, curvature + weight * (d * d + rest * (-mu * T2)), curvature);
  }

 private:
  // The tangents at alpha: their squared length, and by how much it has grown; for MuJoCo 4 their
  // product with their change, and themselves.
  struct Way { V squared, growth, product, at[kConeRows - 1]; };

  Way WayTo(const V& alpha) const {
    Way way;
    if (!kIsMujoco4) {
      way.growth = alpha * (2 * tangent_change + alpha * change_change);
      way.squared = tangent + way.growth;
      return way;
    }
    way.squared = way.growth = way.product = All<V>(0);
    for (int j = 0; j < tangents; ++j) {
      const V moved = alpha * by[j], to = way.at[j] = moved + start[j];
      way.squared = way.squared + to * to;
      way.product = way.product + to * by[j];
      way.growth = way.growth + moved * (start[j] + to);
    }
    return way;
  }

  // Adds the derivatives in the middle zone, as MuJoCo 4 has them.
  void AddMiddle(const Way& way, const V& T, const V& N, const Mask<V>& is_middle, V& slope,
                 V& curvature) const {
    V share[kConeRows - 1], turn = All<V>(0);
    for (int j = 0; j < tangents; ++j) share[j] = way.at[j] / T;
    for (int i = 0; i < tangents; ++i) {
      for (int j = i + 1; j < tangents; ++j) {
        const V cross = share[i] * by[j] - by[i] * share[j];
        turn = turn + cross * cross;
      }
    }
    const V d = normal_change - mu * (way.product / T);
    slope = Pick<V>(is_middle, slope + weight * (N - mu * T) * d, slope);
    curvature =
        Pick<V>(is_middle, curvature + weight * (d * d - (N / T - mu) * (mu * turn)), curvature);
  }
};

}  // namespace parallel_pool::mujoco::lanes
