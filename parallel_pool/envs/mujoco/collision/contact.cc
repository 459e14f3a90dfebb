#include "parallel_pool/envs/mujoco/collision/contact.h"

#include <algorithm>

namespace parallel_pool::mujoco::collision {
namespace {

// libmujoco's own least friction, mjMINMU.
constexpr double kLeastFriction = 1e-5;

// Frictions along two tangents, around the normal and around the tangents, from a geom's three.
void SpreadFriction(const double friction[3], mjContact& contact) {
  const int from[] = {0, 0, 1, 2, 2};
  for (int i = 0; i < 5; ++i) contact.friction[i] = std::max(kLeastFriction, friction[from[i]]);
}

void CopyListed(const mjModel& m, int k, mjContact& contact) {
  contact.dim = m.pair_dim[k];
  std::copy_n(m.pair_solref + mjNREF * k, mjNREF, contact.solref);
  std::copy_n(m.pair_solimp + mjNIMP * k, mjNIMP, contact.solimp);
  std::copy_n(m.pair_solreffriction + mjNREF * k, mjNREF, contact.solreffriction);
  for (int i = 0; i < 5; ++i) {
    contact.friction[i] = std::max(kLeastFriction, m.pair_friction[5 * k + i]);
  }
}

// The parameters of one geom, which has the higher priority.
void CopyGeom(const mjModel& m, int geom, mjContact& contact) {
  contact.dim = m.geom_condim[geom];
  std::copy_n(m.geom_solref + mjNREF * geom, mjNREF, contact.solref);
  std::copy_n(m.geom_solimp + mjNIMP * geom, mjNIMP, contact.solimp);
  SpreadFriction(m.geom_friction + 3 * geom, contact);
}

void MixGeoms(const mjModel& m, int geom1, int geom2, mjContact& contact) {
  contact.dim = std::max(m.geom_condim[geom1], m.geom_condim[geom2]);
  const double mix = Mix(m.geom_solmix[geom1], m.geom_solmix[geom2]);
  const mjtNum* const solref1 = m.geom_solref + mjNREF * geom1;
  const mjtNum* const solref2 = m.geom_solref + mjNREF * geom2;
  const bool is_standard = solref1[0] > 0 && solref2[0] > 0;
  for (int i = 0; i < mjNREF; ++i) {
    contact.solref[i] =
        is_standard ? mix * solref1[i] + (1 - mix) * solref2[i] : std::min(solref1[i], solref2[i]);
  }
  const mjtNum* const solimp1 = m.geom_solimp + mjNIMP * geom1;
  const mjtNum* const solimp2 = m.geom_solimp + mjNIMP * geom2;
  for (int i = 0; i < mjNIMP; ++i) contact.solimp[i] = mix * solimp1[i] + (1 - mix) * solimp2[i];
  double friction[3];
  for (int i = 0; i < 3; ++i) {
    friction[i] = std::max(m.geom_friction[3 * geom1 + i], m.geom_friction[3 * geom2 + i]);
  }
  SpreadFriction(friction, contact);
}

}  // namespace

double Mix(double solmix1, double solmix2) {
  const bool is_small1 = solmix1 < mjMINVAL, is_small2 = solmix2 < mjMINVAL;
  if (!is_small1 && !is_small2) return solmix1 / (solmix1 + solmix2);
  if (is_small1 && is_small2) return 0.5;
  return is_small1 ? 0.0 : 1.0;
}

mjContact BeginContact(const mjModel& m, const Pair& pair) {
  mjContact contact = {};
  contact.includemargin = Margin(m, pair);
  contact.geom1 = contact.geom[0] = pair.geom1;
  contact.geom2 = contact.geom[1] = pair.geom2;
  for (int i = 0; i < 2; ++i) contact.flex[i] = contact.elem[i] = contact.vert[i] = -1;
  contact.efc_address = -1;
  const int priority1 = m.geom_priority[pair.geom1], priority2 = m.geom_priority[pair.geom2];
  if (pair.explicit_pair >= 0) {
    CopyListed(m, pair.explicit_pair, contact);
  } else if (priority1 != priority2) {
    CopyGeom(m, priority1 > priority2 ? pair.geom1 : pair.geom2, contact);
  } else {
    MixGeoms(m, pair.geom1, pair.geom2, contact);
  }
  return contact;
}

void CompleteFrame(mjtNum frame[9]) {
  mjtNum *const normal = frame, *const tangent = frame + 3;
  mju_normalize3(normal);
  if (mju_dot3(tangent, tangent) < 0.25) {
    const bool is_upright = normal[1] < 0.5 && normal[1] > -0.5;
    tangent[0] = 0;
    tangent[1] = is_upright ? 1 : 0;
    tangent[2] = is_upright ? 0 : 1;
  }
  const mjtNum along = mju_dot3(normal, tangent);
  for (int i = 0; i < 3; ++i) tangent[i] -= normal[i] * along;
  mju_normalize3(tangent);
  mju_cross(frame + 6, normal, tangent);
}

}  // namespace parallel_pool::mujoco::collision
