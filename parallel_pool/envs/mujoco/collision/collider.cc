#include "parallel_pool/envs/mujoco/collision/collider.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "parallel_pool/envs/mujoco/collision/apart.h"
#include "parallel_pool/envs/mujoco/collision/contact.h"
#include "parallel_pool/envs/mujoco/collision/library.h"
#include "parallel_pool/envs/mujoco/collision/sweep.h"

namespace parallel_pool::mujoco::collision {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kAtOnce = -std::numeric_limits<float>::infinity();  // a limit: look again
// libmujoco's sweep, in floats, may drop contacts that are so near to the edge of their reach, in
// m.
constexpr double kSweepDoubt = 1e-5;
// Limits of longer ways are too coarse, in m: floats near 64 are 4e-6 apart.
constexpr double kLongestWay = 64;
// Axes are searched for again after 2, 4, 8 ... steps where they are not found or do not last, and
// so are contacts after doubts.
constexpr int kMostFailures = 8, kBriefSteps = 16;

double Dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The largest float that is not above x.
float FloatBelow(double x) {
  const auto nearest = static_cast<float>(x);
  return nearest > x ? std::nextafter(nearest, kAtOnce) : nearest;
}

// Whether libmujoco's own test by spheres drops a pair.
bool AreSpheresApart(const mjModel& m, const mjData& d, const Pair& pair, double reach) {
  const mjtNum *x1 = d.geom_xpos + 3 * pair.geom1, *x2 = d.geom_xpos + 3 * pair.geom2;
  const double radius1 = m.geom_rbound[pair.geom1], radius2 = m.geom_rbound[pair.geom2];
  if (radius1 > 0 && radius2 > 0) {
    const double bound = radius1 + radius2 + reach;
    const double v[3] = {x1[0] - x2[0], x1[1] - x2[1], x1[2] - x2[2]};
    return Dot(v, v) > bound * bound;
  }
  if (m.geom_type[pair.geom1] == mjGEOM_PLANE && radius2 > 0) {
    const mjtNum* const mat = d.geom_xmat + 9 * pair.geom1;
    const double normal[3] = {mat[2], mat[5], mat[8]};
    const double v[3] = {x2[0] - x1[0], x2[1] - x1[1], x2[2] - x1[2]};
    return Dot(v, normal) > reach + radius2;
  }
  return false;
}

bool AreBoxesApart(const mjModel& m, const mjData& d, const Pair& pair, double reach) {
  const int a = pair.geom1, b = pair.geom2;
  mjtBool initialize = true;
  return !mj_collideOBB(m.geom_aabb + 6 * a, m.geom_aabb + 6 * b, d.geom_xpos + 3 * a,
                        d.geom_xmat + 9 * a, d.geom_xpos + 3 * b, d.geom_xmat + 9 * b, reach,
                        nullptr, nullptr, &initialize);
}

// Empties the arena, as mj_collision does first.
void ClearArena(mjData& d) {
#define X(type, name, rows, columns) d.name = nullptr;
#undef XNV
#define XNV X
  MJDATA_ARENA_POINTERS
#undef XNV
#undef X
  d.ncon = d.nefc = d.nisland = d.nJ = d.nY = d.nA = 0;
  d.parena = 0;
  d.contact = static_cast<mjContact*>(d.arena);
}

// Adds a contact. False: there is no room. The stack of libmujoco's functions has the other half.
bool AddContact(mjData& d, const mjContact& contact) {
  const size_t used = (d.ncon + 1) * sizeof(mjContact);
  if (used > static_cast<size_t>(d.narena) / 2) return false;
  d.contact[d.ncon++] = contact;
  d.parena = used;
  return true;
}

}  // namespace

Collider::Collider(std::shared_ptr<const Pairs> pairs)
    : pairs_(std::move(pairs)),
      travellers_(pairs_->bodies.size()),
      limits_(pairs_->pairs.size()),
      body_pair_limits_(pairs_->body_pairs.size()),
      axis_of_(pairs_->pairs.size(), -1) {}

// Measures the model's geoms, and forgets all that was known of pairs.
void Collider::Begin(const mjModel& m, const mjData& d) {
  is_new_ = false;
  fits_ = BoundsFit(m);
  std::ranges::fill(limits_, kAtOnce);
  std::ranges::fill(body_pair_limits_, kAtOnce);
  most_reach_ = 0;
  for (const Pair& pair : pairs_->pairs) most_reach_ = std::max(most_reach_, Reach(m, pair));
  for (size_t i = 0; i < travellers_.size(); ++i) {
    Traveller& t = travellers_[i] = {};
    const std::vector<int>& geoms = pairs_->geoms[i];
    for (const int g : geoms) {
      for (int k = 0; k < 3; ++k) t.center[k] += m.geom_pos[3 * g + k] / geoms.size();
    }
    for (const int g : geoms) {
      t.radius = std::max(t.radius, mju_dist3(m.geom_pos + 3 * g, t.center) + m.geom_rbound[g]);
    }
  }
  Travel(d);
  for (Traveller& t : travellers_) t.travelled = 0;
}

// Adds to each body's way that of its center, and its turn times its radius.
void Collider::Travel(const mjData& d) {
  for (size_t i = 0; i < travellers_.size(); ++i) {
    Traveller& t = travellers_[i];
    const mjtNum *pos = d.xpos + 3 * pairs_->bodies[i], *mat = d.xmat + 9 * pairs_->bodies[i];
    double way = 0, turn = 0;
    for (int k = 0; k < 3; ++k) {
      const double center = pos[k] + Dot(mat + 3 * k, t.center);
      const double step = center - std::exchange(t.before[k], center);
      way += step * step;
    }
    for (int k = 0; k < 9; ++k) {
      const double step = mat[k] - std::exchange(t.before[3 + k], mat[k]);
      turn += step * step;
    }
    // A rotation changes its matrix, in the Frobenius norm, by sqrt(2) times what it moves a point
    // at the distance 1. The factor and the term are more than the rounding.
    const double moved = std::sqrt(way) + t.radius * std::sqrt(turn / 2);
    if (moved != 0) t.travelled += moved * (1 + 1e-9) + 1e-15;
  }
}

bool Collider::TryCollide(const mjModel& m, mjData& d) {
  if (++counts_.steps < next_attempt_) return false;
  if (!is_new_) Travel(d);
  const auto is_long = [](const Traveller& t) { return !(t.travelled < kLongestWay); };  // or NaN
  if (is_new_ || std::ranges::any_of(travellers_, is_long)) Begin(m, d);
  if (!fits_) return false;
  ClearArena(d);
  has_sweep_ = false;
  for (size_t i = 0; i < pairs_->body_pairs.size(); ++i) {
    const BodyPair& bodies = pairs_->body_pairs[i];
    const double way = travellers_[bodies.body1].travelled + travellers_[bodies.body2].travelled;
    if (way < body_pair_limits_[i]) continue;
    if (!Collide(m, d, bodies, body_pair_limits_[i])) {
      ++counts_.doubtful;
      doubts_ = std::min(doubts_ + 1, kMostFailures);
      next_attempt_ = counts_.steps + (1 << doubts_) - 1;  // after a first doubt: the next step
      return false;
    }
  }
  doubts_ = 0;
  d.maxuse_con = std::max<decltype(d.maxuse_con)>(d.maxuse_con, d.ncon);
  return true;
}

// Adds the contacts of two bodies, and sets how far they may travel. False: one is doubtful.
bool Collider::Collide(const mjModel& m, mjData& d, const BodyPair& bodies, float& limit) {
  const Traveller &a = travellers_[bodies.body1], &b = travellers_[bodies.body2];
  const double way = a.travelled + b.travelled;
  if (bodies.size > 1 && !bodies.has_plane) {
    const double v[3] = {a.before[0] - b.before[0], a.before[1] - b.before[1],
                         a.before[2] - b.before[2]};
    const double free = std::sqrt(Dot(v, v)) - a.radius - b.radius - most_reach_ - kSlack;
    if (free > 0) {
      limit = FloatBelow(way + free);
      return true;
    }
  }
  float least = -kAtOnce;
  for (int i = bodies.first; i < bodies.first + bodies.size; ++i) {
    if (!(way < limits_[i])) {
      double free;
      if (!AddContacts(m, d, i, free)) return false;
      limits_[i] = free > 0 ? FloatBelow(way + free) : kAtOnce;
    }
    least = std::min(least, limits_[i]);
  }
  limit = least;
  return true;
}

// Adds the contacts of a pair. `free`: how far it is at least from a touch, if that is positive.
// False: a contact is doubtful.
bool Collider::AddContacts(const mjModel& m, mjData& d, int i, double& free) {
  const Pair& pair = pairs_->pairs[i];
  const double reach = Reach(m, pair);
  ++counts_.looks;
  free = ApartByBoxes(m, d, pair.geom1, pair.geom2) - reach - kSlack;
  if (free > 0) return true;
  if (axis_of_[i] >= 0 && axes_[axis_of_[i]].is_found) {
    free = ApartAlong(m, d, pair.geom1, pair.geom2, axes_[axis_of_[i]].axis) - reach - kSlack;
    if (free > 0) return true;
  }
  int n = 0;
  mjPreContact found[mjMAXCONPAIR];
  if (!AreSpheresApart(m, d, pair, reach) && !(pair.is_leaf && AreBoxesApart(m, d, pair, reach))) {
    ++counts_.touches;
    const mjfCollision touch = TouchOf(m.geom_type[pair.geom1], m.geom_type[pair.geom2]);
    n = touch(&m, &d, found, pair.geom1, pair.geom2, reach);
  }
  if (n > 0) return AddTouches(m, d, i, found, n);
  if (pair.is_convex) free = SearchAxis(m, d, i) - reach - kSlack;
  return true;
}

bool Collider::AddTouches(const mjModel& m, mjData& d, int i, const mjPreContact* found, int n) {
  const Pair& pair = pairs_->pairs[i];
  const double reach = Reach(m, pair);
  mjContact contact = BeginContact(m, pair);
  double nearest = kInfinity;
  for (int k = 0; k < n; ++k) {
    nearest = std::min(nearest, found[k].dist);
    contact.dist = found[k].dist;
    std::copy_n(found[k].pos, 3, contact.pos);
    std::copy_n(found[k].normal, 3, contact.frame);
    std::copy_n(found[k].tangent, 3, contact.frame + 3);
    CompleteFrame(contact.frame);
    contact.exclude = contact.dist >= contact.includemargin;
    if (!AddContact(d, contact)) return false;
  }
  if (pair.is_leaf &&
      nearest > reach - TreeDoubt(m, pair.geom1, pair.geom2, pair.with_plane, reach)) {
    return false;
  }
  return !pair.is_swept || nearest <= reach - kSweepDoubt || IsSwept(m, d, pair);
}

// A number below the distance of a convex pair that does not touch, along a new axis; negative: no
// axis is known, or it is not yet time to search for one.
double Collider::SearchAxis(const mjModel& m, mjData& d, int i) {
  const Pair& pair = pairs_->pairs[i];
  if (axis_of_[i] < 0) {
    if (axes_.size() > static_cast<size_t>(std::numeric_limits<int16_t>::max())) return -kInfinity;
    axis_of_[i] = static_cast<int16_t>(axes_.size());
    axes_.emplace_back();
  }
  Axis& axis = axes_[axis_of_[i]];
  if (counts_.steps < axis.next_search) return -kInfinity;
  const double least = Reach(m, pair) + kSlack;
  double apart = -kInfinity;
  if (FindAxis(m, d, pair.geom1, pair.geom2, least, axis.axis)) {
    axis.is_found = true;
    apart = ApartAlong(m, d, pair.geom1, pair.geom2, axis.axis);
  }
  const bool is_apart = apart > least;
  if (is_apart && counts_.steps - axis.last_success >= kBriefSteps) {
    axis.failures = 0;
    axis.next_search = counts_.steps;
  } else {
    axis.failures = static_cast<int8_t>(std::min(axis.failures + 1, kMostFailures));
    axis.next_search = counts_.steps + (1 << axis.failures);
  }
  if (is_apart) axis.last_success = counts_.steps;
  return apart;
}

bool Collider::IsSwept(const mjModel& m, const mjData& d, const Pair& pair) {
  if (!has_sweep_) FindSweepAxes(m, d, sweep_);
  has_sweep_ = true;
  return OverlapInSweep(m, d, sweep_, pair.geom1, pair.geom2);
}

void Step1(const mjModel& m, mjData& d, Collider& collider) {
  mj_checkPos(&m, &d);
  mj_checkVel(&m, &d);
  d.flg_energypos = 0;
  mj_kinematics(&m, &d);
  mj_comPos(&m, &d);
  mj_camlight(&m, &d);
  mj_flex(&m, &d);
  mj_tendon(&m, &d);
  mj_makeM(&m, &d);
  mj_factorM(&m, &d);
  collider.Collide(m, d);
  mj_makeConstraint(&m, &d);
  mj_island(&m, &d);
  mj_projectConstraint(&m, &d);
  mj_transmission(&m, &d);
  mj_sensorPos(&m, &d);
  mj_fwdVelocity(&m, &d);
  mj_sensorVel(&m, &d);
}

}  // namespace parallel_pool::mujoco::collision
