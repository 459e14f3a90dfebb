#include "parallel_pool/envs/mujoco/collision/pairs.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "parallel_pool/envs/mujoco/collision/library.h"

namespace parallel_pool::mujoco::collision {
namespace {

void Refuse(bool has, const char* what) {
  if (has) throw std::invalid_argument(what);
}

// libmujoco's number of two bodies, by which it sorts them.
unsigned Signature(int body1, int body2) {
  return (static_cast<unsigned>(body1) << 16) + static_cast<unsigned>(body2);
}

bool IsExcluded(const mjModel& m, int body1, int body2) {
  const int* const first = m.exclude_signature;
  const int* const end = first + m.nexclude;
  return std::find(first, end, static_cast<int>(Signature(body1, body2))) != end;
}

bool IsListed(const mjModel& m, int geom1, int geom2) {
  for (int k = 0; k < m.npair; ++k) {
    const int first = m.pair_geom1[k], second = m.pair_geom2[k];
    if (std::minmax(first, second) == std::minmax(geom1, geom2)) return true;
  }
  return false;
}

bool IsConvex(int type1, int type2) {
  if (type1 == mjGEOM_PLANE) return false;
  if (type2 == mjGEOM_MESH || type1 == mjGEOM_ELLIPSOID || type2 == mjGEOM_ELLIPSOID) return true;
  return (type1 == mjGEOM_CYLINDER || type2 == mjGEOM_CYLINDER) && type1 != mjGEOM_SPHERE;
}

class Finder {
 public:
  explicit Finder(const mjModel& m) : m_(m), places_(m.nbody, -1) {}

  Pairs Find() {
    for (int body1 = 0; body1 < m_.nbody; ++body1) {
      for (int body2 = body1 + 1; body2 < m_.nbody; ++body2) {
        if (!MayTouch(m_, body1, body2)) continue;
        AddListed(Signature(body1, body2));
        if (!IsExcluded(m_, body1, body2)) AddAll(body1, body2);
      }
    }
    AddListed(~0U);
    return std::move(found_);
  }

 private:
  Pair MakePair(int geom1, int geom2, int explicit_pair) const {
    if (m_.geom_type[geom1] > m_.geom_type[geom2]) std::swap(geom1, geom2);
    const int type1 = m_.geom_type[geom1], type2 = m_.geom_type[geom2];
    Refuse(type1 == mjGEOM_HFIELD || type2 == mjGEOM_HFIELD, "height fields");
    Refuse(type2 >= mjGEOM_SDF, "signed distance fields");
    const bool is_listed = explicit_pair >= 0;
    return {.geom1 = geom1,
            .geom2 = geom2,
            .explicit_pair = explicit_pair,
            .is_leaf = false,
            .with_plane = HasPlane(m_.geom_bodyid[geom1]) || HasPlane(m_.geom_bodyid[geom2]),
            .is_swept = !is_listed && m_.geom_bodyid[geom1] > 0 && m_.geom_bodyid[geom2] > 0,
            .is_convex = IsConvex(type1, type2)};
  }
  bool HasPlane(int body) const {
    const int* const first = m_.geom_type + m_.body_geomadr[body];
    return std::find(first, first + m_.body_geomnum[body], mjGEOM_PLANE) !=
           first + m_.body_geomnum[body];
  }
  bool CanTouch(const Pair& pair) const {
    return TouchOf(m_.geom_type[pair.geom1], m_.geom_type[pair.geom2]) != nullptr;
  }

  // Adds the pairs of the model's list up to those of the bodies `until`. libmujoco tests them
  // before all others of the same bodies, and finds them by spheres alone.
  void AddListed(unsigned until) {
    for (; next_ < m_.npair; ++next_) {
      if (static_cast<unsigned>(m_.pair_signature[next_]) > until) return;
      const Pair pair = MakePair(m_.pair_geom1[next_], m_.pair_geom2[next_], next_);
      if (CanTouch(pair)) Add(m_.geom_bodyid[pair.geom1], m_.geom_bodyid[pair.geom2], {pair});
    }
  }

  void AddAll(int body1, int body2) {
    std::vector<Pair> pairs;
    const bool is_leaf = m_.body_geomnum[body1] != 1 || m_.body_geomnum[body2] != 1;
    for (int i = 0; i < m_.body_geomnum[body1] * m_.body_geomnum[body2]; ++i) {
      const int geom1 = m_.body_geomadr[body1] + i / m_.body_geomnum[body2];
      const int geom2 = m_.body_geomadr[body2] + i % m_.body_geomnum[body2];
      if (AreMasked(m_, geom1, geom2) || IsListed(m_, geom1, geom2)) continue;
      Pair pair = MakePair(geom1, geom2, -1);
      pair.is_leaf = is_leaf;
      if (CanTouch(pair)) pairs.push_back(pair);
    }
    // The search through trees of boxes (midphase) sorts what it finds.
    std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) {
      return a.geom1 != b.geom1 ? a.geom1 < b.geom1 : a.geom2 < b.geom2;
    });
    if (!pairs.empty()) Add(body1, body2, pairs);
  }

  void Add(int body1, int body2, const std::vector<Pair>& pairs) {
    const auto is_plane = [&](const Pair& p) { return m_.geom_type[p.geom1] == mjGEOM_PLANE; };
    found_.body_pairs.push_back({.body1 = PlaceOf(body1),
                                 .body2 = PlaceOf(body2),
                                 .first = static_cast<int>(found_.pairs.size()),
                                 .size = static_cast<int>(pairs.size()),
                                 .has_plane = std::ranges::any_of(pairs, is_plane)});
    found_.pairs.insert(found_.pairs.end(), pairs.begin(), pairs.end());
    for (const Pair& pair : pairs) {
      for (const int geom : {pair.geom1, pair.geom2}) AddGeom(geom);
    }
  }

  void AddGeom(int geom) {
    std::vector<int>& geoms = found_.geoms[PlaceOf(m_.geom_bodyid[geom])];
    const bool is_new = std::ranges::find(geoms, geom) == geoms.end();
    if (is_new && m_.geom_type[geom] != mjGEOM_PLANE) geoms.push_back(geom);
  }

  int PlaceOf(int body) {
    int& place = places_[body];
    if (place >= 0) return place;
    for (int i = 0; i < m_.body_geomnum[body]; ++i) {
      const bool is_plane = m_.geom_type[m_.body_geomadr[body] + i] == mjGEOM_PLANE;
      Refuse(is_plane && m_.body_weldid[body] != 0, "planes that move");
    }
    place = static_cast<int>(found_.bodies.size());
    found_.bodies.push_back(body);
    found_.geoms.emplace_back();
    return place;
  }

  const mjModel& m_;
  Pairs found_;
  std::vector<int> places_;  // of bodies, in found_.bodies
  int next_ = 0;             // in the model's list of pairs
};

double Gap(const mjModel& m, const Pair& pair) {
  if (pair.explicit_pair >= 0) return m.pair_gap[pair.explicit_pair];
  return m.geom_gap[pair.geom1] + m.geom_gap[pair.geom2];
}

}  // namespace

bool MayTouch(const mjModel& m, int body1, int body2) {
  const int weld1 = m.body_weldid[body1], weld2 = m.body_weldid[body2];
  if (weld1 == weld2 || (m.body_dofnum[weld1] == 0 && m.body_dofnum[weld2] == 0)) return false;
  if (m.opt.disableflags & mjDSBL_FILTERPARENT) return true;
  const int parent1 = m.body_weldid[m.body_parentid[weld1]];
  const int parent2 = m.body_weldid[m.body_parentid[weld2]];
  return weld1 == 0 || weld2 == 0 || (weld1 != parent2 && weld2 != parent1);
}

bool AreMasked(const mjModel& m, int geom1, int geom2) {
  return (m.geom_contype[geom1] & m.geom_conaffinity[geom2]) == 0 &&
         (m.geom_contype[geom2] & m.geom_conaffinity[geom1]) == 0;
}

// The box around a plane reaches 1e10 m down from it. Sums with its half are rounded to 1e-6 m; no
// contact is missed where they are rounded in one way, because nothing but a height is added.
double TreeDoubt(const mjModel& m, int geom1, int geom2, bool with_plane, double reach) {
  constexpr double kOfDoubles = 1e-10, kOfPlanes = 2e-6;
  if (!with_plane) return kOfDoubles;
  const int plane = m.geom_type[geom1] == mjGEOM_PLANE ? geom1 : geom2;
  const mjtNum* const quat = m.geom_quat + 4 * plane;
  const bool is_level = m.geom_type[plane] == mjGEOM_PLANE && m.geom_bodyid[plane] == 0 &&
                        m.geom_pos[3 * plane + 2] == 0 && quat[0] == 1 && quat[1] == 0 &&
                        quat[2] == 0 && quat[3] == 0;
  return is_level && reach == 0 ? 0 : kOfPlanes;
}

void CheckOptions(const mjModel& m) {
  Refuse(m.opt.enableflags != 0, "a flag of its options");
  const int contactless = mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  Refuse((m.opt.disableflags & contactless) != 0, "no contacts");
  Refuse((m.opt.disableflags & mjDSBL_MIDPHASE) != 0, "no midphase");
  Refuse(m.vis.global.bvactive != 0, "trees of boxes that are drawn");
}

Pairs FindPairs(const mjModel& m) {
  CheckOptions(m);
  Refuse(m.nflex > 0, "flexible bodies");
  Refuse(m.nplugin > 0, "plugins");
  Refuse(m.nhistory > 0, "delays");
  Refuse(m.flg_surfacevel || m.flg_adhesion, "surface velocities or adhesion");
  Pairs found = Finder(m).Find();
  Refuse(found.pairs.empty(), "no geoms that may touch");
  return found;
}

double Margin(const mjModel& m, const Pair& pair) {
  if (pair.explicit_pair >= 0) return m.pair_margin[pair.explicit_pair];
  return m.geom_margin[pair.geom1] + m.geom_margin[pair.geom2];
}

double Reach(const mjModel& m, const Pair& pair) {
  return Margin(m, pair) + Gap(m, pair);
}

}  // namespace parallel_pool::mujoco::collision
