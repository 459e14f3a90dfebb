// The sizes, features and options of a model that steps in lanes cover.
#include <algorithm>
#include <cstdint>

#include "parallel_pool/envs/mujoco/lanes/flatten.h"

namespace parallel_pool::mujoco::lanes {
namespace {

void CheckSizes(const mjModel& m) {
  const bool is_large = m.nbody > kMaxBodies || m.njnt > kMaxJoints || m.nv > kMaxDofs ||
                        m.nq > kMaxPositions || m.ngeom > kMaxGeoms || m.nsite > kMaxSites ||
                        m.nu > kMaxActuators || m.nC > kMaxInertias || m.ntendon > kMaxTendons;
  Refuse(is_large, "its size");
  Refuse(m.nv == 0, "no joints");
}

void CheckFeatures(const mjModel& m) {
  Refuse(m.nflex > 0, "flexible bodies");
  Refuse(m.nplugin > 0, "plugins");
  Refuse(m.nhistory > 0, "delays");
  Refuse(m.nu != m.nactuator || m.nout != m.nactuator, "actuators with several controls");
  Refuse(m.flg_gravcomp, "gravity compensation");
#if mjVERSION_HEADER >= 4000000
  Refuse(m.nplastic > 0, "plastic springs");
#endif
  Refuse(m.flg_surfacevel || m.flg_adhesion, "surface velocities or adhesion");
}

void CheckOptions(const mjModel& m) {
  const mjOption& o = m.opt;
  const auto is_rolling = [](const int* dimensions, int64_t n) {
    return std::any_of(dimensions, dimensions + n, [](int d) { return d > 4; });
  };
  Refuse(o.cone == mjCONE_ELLIPTIC &&
             (is_rolling(m.geom_condim, m.ngeom) || is_rolling(m.pair_dim, m.npair)),
         "elliptic friction cones with rolling friction");
  Refuse(o.solver != mjSOL_NEWTON && o.solver != mjSOL_PGS, "the CG solver");
  Refuse(mj_isSparse(&m) && o.cone == mjCONE_ELLIPTIC,
         "elliptic friction cones with a sparse Jacobian");
  Refuse(o.noslip_iterations > 0 && (o.cone == mjCONE_ELLIPTIC || o.solver != mjSOL_NEWTON),
         "the noslip solver with elliptic friction cones or without Newton's method");
  Refuse(o.integrator != mjINT_EULER && o.integrator != mjINT_RK4, "its integrator");
  // Without islands, a model of one tree has the same numbers.
  const int harmless = mjDSBL_MIDPHASE | mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_GRAVITY |
                       mjDSBL_SENSOR | (m.ntree == 1 ? mjDSBL_ISLAND : 0);
  Refuse((o.disableflags & ~harmless) != 0, "a flag of its options");
  Refuse((o.enableflags & ~mjENBL_ENERGY) != 0, "a flag of its options");  // no task reads energies
  Refuse(o.disableactuator != 0, "disabled actuators");
  Refuse(o.wind[0] != 0 || o.wind[1] != 0 || o.wind[2] != 0, "wind");
}

}  // namespace

void CheckModel(const mjModel& m) {
  CheckSizes(m);
  CheckFeatures(m);
  CheckOptions(m);
}

}  // namespace parallel_pool::mujoco::lanes
