#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "parallel_pool/envs/mujoco/collision/contact.h"
#include "parallel_pool/envs/mujoco/collision/pairs.h"
#include "parallel_pool/envs/mujoco/lanes/flatten.h"

namespace parallel_pool::mujoco::lanes {
namespace {

using collision::AreMasked, collision::MayTouch, collision::Mix;

// The tree that contacts of two bodies move; -1: they link two trees.
int TreeOf(const mjModel& m, int body1, int body2) {
  const int tree1 = m.body_treeid[body1], tree2 = m.body_treeid[body2];
  if (tree1 < 0) return tree2;
  return tree2 < 0 || tree1 == tree2 ? tree1 : -1;
}

bool IsSolid(int type) {
  return type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER;
}

void CheckGeoms(const mjModel& m, int geom1, int geom2) {
  const int type1 = m.geom_type[geom1], type2 = m.geom_type[geom2];
  if (!(type1 == mjGEOM_PLANE || IsSolid(type1)) || !(IsSolid(type2) || IsWall(m, geom2))) {
    throw std::invalid_argument(
        "contacts of other geoms than planes, spheres, capsules, cylinders and boxes that stand "
        "still");
  }
  if (m.geom_priority[geom1] != m.geom_priority[geom2]) {
    throw std::invalid_argument("geoms with different priorities");
  }
}

GeomPair MakePair(const mjModel& m, int geom1, int geom2) {
  if (m.geom_type[geom1] > m.geom_type[geom2]) std::swap(geom1, geom2);
  CheckGeoms(m, geom1, geom2);
  GeomPair pair = {
      .geom1 = geom1,
      .geom2 = geom2,
      .wall = -1,
      .place = 0,
      .tree = TreeOf(m, m.geom_bodyid[geom1], m.geom_bodyid[geom2]),
      .dimensions = std::max(m.geom_condim[geom1], m.geom_condim[geom2]),
      .reach = 0,
      .doubt = 0,
      .friction = std::max({1e-5, m.geom_friction[3 * geom1], m.geom_friction[3 * geom2]}),
      .law = {}};
  if (pair.dimensions != 1 && pair.dimensions != 3) {
    throw std::invalid_argument("contacts with rolling or torsional friction");
  }
  const double margin = m.geom_margin[geom1] + m.geom_margin[geom2];
  pair.reach = margin + (m.geom_gap[geom1] + m.geom_gap[geom2]);
  const bool with_plane = m.geom_type[geom1] == mjGEOM_PLANE;
  pair.doubt = collision::TreeDoubt(m, geom1, geom2, with_plane, pair.reach);
  const Real mix = Mix(m.geom_solmix[geom1], m.geom_solmix[geom2]);
  double solref[mjNREF], solimp[mjNIMP];
  const auto blend = [&](const mjtNum* all, int n, double* out) {
    for (int i = 0; i < n; ++i) out[i] = mix * all[n * geom1 + i] + (1 - mix) * all[n * geom2 + i];
  };
  for (const int geom : {geom1, geom2}) {
    if (m.geom_solref[mjNREF * geom] <= 0) throw std::invalid_argument("a solref in direct format");
  }
  blend(m.geom_solref, mjNREF, solref);
  blend(m.geom_solimp, mjNIMP, solimp);
  Real weight = m.body_invweight0[2 * m.geom_bodyid[geom1]];
  weight += m.body_invweight0[2 * m.geom_bodyid[geom2]];
  const Real f = pair.friction;
  if (pair.dimensions != 1) weight += f * f * weight;
  pair.law = MakeLaw(m, solref, solimp, weight, margin);
  return pair;
}

bool IsBefore(const GeomPair& a, const GeomPair& b) {
  return a.geom1 != b.geom1 ? a.geom1 < b.geom1 : a.geom2 < b.geom2;
}

// Finds the walls, moves their pairs behind the others, and lists the geoms that can touch them.
void AddWalls(const mjModel& m, StepModel& flat) {
  const auto is_at_wall = [&](const GeomPair& pair) { return IsWall(m, pair.geom2); };
  flat.num_solid_pairs = flat.num_pairs;
  if (std::none_of(flat.pairs, flat.pairs + flat.num_pairs, is_at_wall)) return;
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(&m), &mj_deleteData);
  if (data == nullptr) throw std::bad_alloc();
  mj_kinematics(&m, data.get());
  int wall_of[kMaxGeoms], at_walls[kMaxGeoms] = {};
  std::fill_n(wall_of, kMaxGeoms, -1);
  for (int i = 0; i < flat.num_pairs; ++i) {
    GeomPair& pair = flat.pairs[i];
    pair.place = i;
    const int g = pair.geom2;
    if (!IsWall(m, g)) continue;
    at_walls[pair.geom1] = 1;
    flat.wall_reach = std::max(flat.wall_reach, pair.reach);
    if (wall_of[g] < 0) {
      wall_of[g] = flat.num_walls++;
      Wall& wall = flat.walls[wall_of[g]];
      Box& box = wall.box;
      std::copy_n(data->geom_xpos + 3 * g, 3, box.pos);
      std::copy_n(data->geom_xmat + 9 * g, 9, box.mat);
      std::copy_n(m.geom_size + 3 * g, 3, box.half);
      for (int a = 0; a < 3; ++a) {
        double half = 0;
        for (int k = 0; k < 3; ++k) half += std::abs(box.mat[3 * a + k]) * box.half[k];
        wall.low[a] = box.pos[a] - half;
        wall.high[a] = box.pos[a] + half;
      }
    }
    pair.wall = wall_of[g];
  }
  for (int g = 0; g < m.ngeom; ++g) {
    if (at_walls[g]) flat.at_walls[flat.num_at_walls++] = g;
  }
  const auto is_without = [](const GeomPair& pair) { return pair.wall < 0; };
  GeomPair* const end = flat.pairs + flat.num_pairs;
  flat.num_solid_pairs =
      static_cast<int>(std::stable_partition(flat.pairs, end, is_without) - flat.pairs);
}

}  // namespace

bool IsWall(const mjModel& m, int geom) {
  return m.geom_type[geom] == mjGEOM_BOX && m.body_weldid[m.geom_bodyid[geom]] == 0;
}

void AddPairs(const mjModel& m, StepModel& flat) {
  for (int body1 = 0; body1 < m.nbody; ++body1) {
    for (int body2 = body1 + 1; body2 < m.nbody; ++body2) {
      if (!MayTouch(m, body1, body2)) continue;
      GeomPair* const first = flat.pairs + flat.num_pairs;
      for (int i = 0; i < m.body_geomnum[body1] * m.body_geomnum[body2]; ++i) {
        const int geom1 = m.body_geomadr[body1] + i / m.body_geomnum[body2];
        const int geom2 = m.body_geomadr[body2] + i % m.body_geomnum[body2];
        if (AreMasked(m, geom1, geom2)) continue;
        if (flat.num_pairs == kMaxPairs)
          throw std::invalid_argument("its number of pairs of geoms");
        flat.pairs[flat.num_pairs++] = MakePair(m, geom1, geom2);
      }
      // The pairs of bodies with several geoms come from the search through their trees of bounding
      // volumes (midphase), which libmujoco sorts.
      GeomPair* const end = flat.pairs + flat.num_pairs;
      const bool is_search = m.body_geomnum[body1] != 1 || m.body_geomnum[body2] != 1;
      if (!is_search || std::is_sorted(first, end, IsBefore)) continue;
      if (m.opt.disableflags & mjDSBL_MIDPHASE) throw std::invalid_argument("no midphase");
      std::stable_sort(first, end, IsBefore);
    }
  }
  AddWalls(m, flat);
}

}  // namespace parallel_pool::mujoco::lanes
