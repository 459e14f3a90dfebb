#include "parallel_pool/envs/mujoco/lanes/narrow_phase.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>

namespace parallel_pool::mujoco::lanes {
namespace {

constexpr Real kParallel = 1e-8;  // the squared sine below which segments are parallel

Real Dot(const Real a[3], const Real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
void Cross(const Real a[3], const Real b[3], Real out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
// Gives `a` length 1 and returns its length; a null vector becomes the x axis.
Real Normalize(Real a[3]) {
  const Real length = std::sqrt(Dot(a, a));
  if (length < mjMINVAL) {
    a[0] = 1;
    a[1] = a[2] = 0;
    return length;
  }
  const Real scale = 1 / length;
  for (int i = 0; i < 3; ++i) a[i] *= scale;
  return length;
}
Real Clamp(Real x, Real low, Real high) {
  return x < low ? low : high < x ? high : x;
}

// Completes a frame whose first row is the normal and whose second row is a wish for the first
// tangent, or zero.
void MakeFrame(Real frame[9]) {
  Real *const x = frame, *const y = frame + 3;
  Normalize(x);
  if (Dot(y, y) < 0.25) {
    y[0] = y[1] = y[2] = 0;
    y[x[1] < 0.5 && x[1] > -0.5 ? 1 : 2] = 1;
  }
  const Real along = Dot(x, y);
  for (int i = 0; i < 3; ++i) y[i] -= Rounded(x[i] * along);
  Normalize(y);
  Cross(x, y, frame + 6);
}

// Whether spheres around p and q, points of the solids, touch; then it sets the contact.
bool TouchSpheres(const Solid& a, const Real p[3], const Solid& b, const Real q[3], Real reach,
                  Contact& contact) {
  const Real apart[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  const Real squared = Dot(apart, apart), most = reach + a.radius + b.radius;
  if (squared > most * most) return false;
  contact.dist = std::sqrt(squared) - a.radius - b.radius;
  Real* const normal = contact.frame;
  for (int i = 0; i < 3; ++i) normal[i] = q[i] - p[i];
  if (Normalize(normal) < mjMINVAL) {
    Cross(a.axis, b.axis, normal);
    Normalize(normal);
  }
  const Real depth = a.radius + contact.dist / 2;
  for (int i = 0; i < 3; ++i) {
    contact.pos[i] = Rounded(normal[i] * depth) + p[i];
    contact.frame[3 + i] = 0;
  }
  return true;
}

// The places of the nearest points of two segments, each in 0 .. 1 along its segment.
struct Nearest { Real on_a, on_b; };

// The nearest points of the segments a0-a1 and b0-b1: one pair, or the pairs of both ends if the
// segments are parallel. Returns the number of pairs.
int FindNearest(const Real a0[3], const Real a1[3], const Real b0[3], const Real b1[3],
                Nearest pairs[2]) {
  Real u[3], v[3], r[3];
  for (int i = 0; i < 3; ++i) {
    u[i] = a1[i] - a0[i];
    v[i] = b1[i] - b0[i];
    r[i] = a0[i] - b0[i];
  }
  const Real uu = Dot(u, u), vv = Dot(v, v), vr = Dot(v, r);
  if (uu <= mjMINVAL) {
    pairs[0] = {0, vv <= mjMINVAL ? Real(0) : Clamp(vr / vv, 0, 1)};
    return 1;
  }
  const Real ur = Dot(u, r), to_b0 = -ur / uu;
  if (vv <= mjMINVAL) {
    pairs[0] = {Clamp(to_b0, 0, 1), 0};
    return 1;
  }
  const Real uv = Dot(u, v), to_b1 = (uv - ur) / uu;
  // A point beyond an end of b becomes that end, and the nearest point of a to it.
  const auto within_b = [&](Real on_a, Real on_b) -> Nearest {
    if (on_b < 0) return {Clamp(to_b0, 0, 1), 0};
    if (on_b > 1) return {Clamp(to_b1, 0, 1), 1};
    return {on_a, on_b};
  };
  Real n[3];
  Cross(u, v, n);
  const Real nn = Dot(n, n);
  if (nn > uu * kParallel * vv) {
    Real c[3];
    Cross(v, r, c);
    const Real on_a = Clamp(Dot(n, c) / nn, 0, 1);
    pairs[0] = within_b(on_a, (uv * on_a + vr) / vv);
    return 1;
  }
  pairs[0] = within_b(0, vr / vv);
  pairs[1] = within_b(1, (vr + uv) / vv);
  return 2;
}

int TouchCapsules(const Solid& a, const Solid& b, Real reach, Contact* contacts) {
  Real a0[3], a1[3], b0[3], b1[3];
  for (int i = 0; i < 3; ++i) {
    const Real x = a.axis[i] * a.half_length, y = b.axis[i] * b.half_length;
    a0[i] = a.pos[i] - x;
    a1[i] = a.pos[i] + x;
    b0[i] = b.pos[i] - y;
    b1[i] = b.pos[i] + y;
  }
  Nearest nearest[2];
  const int pairs = FindNearest(a0, a1, b0, b1, nearest);
  int n = 0;
  for (int k = 0; k < pairs; ++k) {
    Real p[3], q[3];
    for (int i = 0; i < 3; ++i) {
      p[i] = nearest[k].on_a * (a1[i] - a0[i]) + a0[i];
      q[i] = nearest[k].on_b * (b1[i] - b0[i]) + b0[i];
    }
    n += TouchSpheres(a, p, b, q, reach, contacts[n]);
  }
  return n;
}

bool TouchSphereAndCapsule(const Solid& sphere, const Solid& capsule, Real reach,
                           Contact& contact) {
  Real apart[3], nearest[3];
  for (int i = 0; i < 3; ++i) apart[i] = sphere.pos[i] - capsule.pos[i];
  const Real along = Clamp(Dot(capsule.axis, apart), -capsule.half_length, capsule.half_length);
  for (int i = 0; i < 3; ++i) nearest[i] = Rounded(capsule.axis[i] * along) + capsule.pos[i];
  return TouchSpheres(sphere, sphere.pos, capsule, nearest, reach, contact);
}

}  // namespace

void TouchPlane(int pair, const Real normal[3], const Real pos[3], Real distance, Real radius,
                const Real* axis, Contacts& contacts) {
  if (contacts.size == kMaxContacts) {
    contacts.is_partial = true;
    return;
  }
  Contact& contact = contacts.items[contacts.size++];
  contact.pair = pair;
  contact.dist = distance - radius;
  const Real depth = -contact.dist / 2 - radius;
  for (int i = 0; i < 3; ++i) {
    contact.frame[i] = normal[i];
    contact.frame[3 + i] = axis == nullptr ? Real(0) : axis[i];
    contact.pos[i] = pos[i] + Rounded(normal[i] * depth);
  }
  MakeFrame(contact.frame);
}

// The points are the lowest of each end, and two more of the lower end, a third of a turn away.
void TouchPlane(int pair, const Real normal[3], const Real origin[3], const Cylinder& cylinder,
                Real reach, Contacts& contacts) {
  if (contacts.size + 4 > kMaxContacts) {
    contacts.is_partial = true;
    return;
  }
  // The axis towards the plane, and the way from it to the lowest point of an end.
  Real axis[3], edge[3], apart[3];
  const Real tilt = Dot(normal, cylinder.axis), down = tilt > 0 ? -tilt : tilt;
  for (int i = 0; i < 3; ++i) {
    axis[i] = tilt > 0 ? -cylinder.axis[i] : cylinder.axis[i];
    edge[i] = Rounded(axis[i] * down) - normal[i];
    apart[i] = cylinder.pos[i] - origin[i];
  }
  const Real squared = Dot(edge, edge);
  const bool is_upright = squared < mjMINVAL * mjMINVAL;
  const Real scale = is_upright ? cylinder.radius : cylinder.radius / std::sqrt(squared);
  for (int i = 0; i < 3; ++i) {
    edge[i] = (is_upright ? cylinder.side[i] : edge[i]) * scale;
    axis[i] *= cylinder.half_length;
  }
  const Real center = Dot(apart, normal), low = Dot(edge, normal);
  const Real end = down * cylinder.half_length;
  // Adds the point that is `way` and then `sign` half lengths and a part of `edge` from the center.
  const auto add = [&](Real distance, const Real way[3], Real sign, Real part) {
    if (!(distance <= reach)) return false;
    Contact& contact = contacts.items[contacts.size++];
    contact.pair = pair;
    contact.dist = distance;
    for (int i = 0; i < 3; ++i) {
      contact.pos[i] = cylinder.pos[i] + way[i] + sign * axis[i];
      if (part != 0) contact.pos[i] += edge[i] * part;
      contact.pos[i] += normal[i] * (-distance * 0.5);
      contact.frame[i] = normal[i];
      contact.frame[3 + i] = 0;
    }
    MakeFrame(contact.frame);
    return true;
  };
  if (!add(center + end + low, edge, 1, 0)) return;
  add(center - end + low, edge, -1, 0);
  Real across[3], other[3];
  Cross(edge, axis, across);
  Normalize(across);
  const Real width = cylinder.radius * std::sqrt(3.0) / 2;
  for (int i = 0; i < 3; ++i) {
    across[i] *= width;
    other[i] = -across[i];
  }
  const Real distance = center + end + -low * 0.5;
  add(distance, across, 1, -0.5);
  add(distance, other, 1, -0.5);
}

void TouchBox(int pair, const Real pos[3], Real radius, const Box& box, Real reach,
              Contacts& contacts) {
  // In the axes of the box: the sphere's center, the nearest point of the box, the way to it.
  Real center[3], nearest[3], way[3];
  const Real apart[3] = {pos[0] - box.pos[0], pos[1] - box.pos[1], pos[2] - box.pos[2]};
  for (int i = 0; i < 3; ++i) {
    const Real column[3] = {box.mat[i], box.mat[3 + i], box.mat[6 + i]};
    center[i] = Dot(column, apart);
    nearest[i] = Clamp(center[i], -box.half[i], box.half[i]);
    way[i] = nearest[i] - center[i];
  }
  const Real distance = Normalize(way);
  if (distance - radius > reach) return;
  if (distance <= mjMINVAL || contacts.size == kMaxContacts) {
    contacts.is_partial = true;
    return;
  }
  Contact& contact = contacts.items[contacts.size++];
  contact.pair = pair;
  contact.dist = distance - radius;
  Real middle[3];
  for (int i = 0; i < 3; ++i) {
    const Real deepest = center[i] + way[i] * radius;
    middle[i] = nearest[i] * 0.5 + deepest * 0.5;
  }
  for (int i = 0; i < 3; ++i) {
    const Real row[3] = {box.mat[3 * i], box.mat[3 * i + 1], box.mat[3 * i + 2]};
    contact.pos[i] = Dot(row, middle) + box.pos[i];
    contact.frame[i] = Dot(row, way);
    contact.frame[3 + i] = 0;
  }
  MakeFrame(contact.frame);
}

void Touch(int pair, const Solid& a, const Solid& b, Real reach, Contacts& contacts) {
  if (contacts.size + 2 > kMaxContacts) {
    contacts.is_partial = true;
    return;
  }
  Contact* const added = contacts.items + contacts.size;
  int n;
  if (a.is_capsule) {
    n = TouchCapsules(a, b, reach, added);
  } else if (b.is_capsule) {
    n = TouchSphereAndCapsule(a, b, reach, added[0]);
  } else {
    n = TouchSpheres(a, a.pos, b, b.pos, reach, added[0]);
  }
  for (int k = 0; k < n; ++k) {
    added[k].pair = pair;
    MakeFrame(added[k].frame);
  }
  contacts.size += n;
}

}  // namespace parallel_pool::mujoco::lanes
