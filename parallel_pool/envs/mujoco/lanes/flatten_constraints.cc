// The parts of a model that constrain joints and tendons.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "parallel_pool/envs/mujoco/lanes/flatten.h"

namespace parallel_pool::mujoco::lanes {
namespace {

void AddWeld(const mjModel& m, int i, StepModel& flat) {
  const int body1 = m.eq_obj1id[i], body2 = m.eq_obj2id[i];
  Refuse(flat.num_welds == kMaxWelds, "its number of welds");
  Refuse(m.eq_objtype[i] != mjOBJ_BODY, "welds of sites");
  Refuse((flat.bodies[body1].dofs | flat.bodies[body2].dofs).empty(),
         "welds of bodies that stand still");
  const mjtNum *const data = m.eq_data + mjNEQDATA * i, *const weight = m.body_invweight0;
  Weld& weld = flat.welds[flat.num_welds++];
  weld = {.body1 = body1,
          .body2 = body2,
          .anchor1 = {},
          .anchor2 = {},
          .relative = RotationOf(data + 6),
          .torque_scale = data[10],
          .law = MakeLaw(m, m.eq_solref + mjNREF * i, m.eq_solimp + mjNIMP * i,
                         weight[2 * body1] + weight[2 * body2], 0),
          .turning_diagonal = weight[2 * body1 + 1] + weight[2 * body2 + 1]};
  Copy(weld.anchor1, data + 3);
  Copy(weld.anchor2, data);
}

// Adds one side of a coupling. `diagonal`: of the inverse inertia, to which it adds.
Coupled CoupledOf(const mjModel& m, bool is_tendon, int object, Coupling& coupling,
                  const StepModel& flat, double& diagonal) {
  if (is_tendon) {
    Refuse(flat.tendons[object].size == 0, "coupled tendons in space");
    coupling.dofs = coupling.dofs | flat.tendons[object].dofs;
    coupling.trees |= flat.tendons[object].trees;
    diagonal += m.tendon_invweight0[object];
    return {.position = -1, .dof = -1, .tendon = object, .reference = m.tendon_length0[object]};
  }
  Refuse(m.jnt_type[object] == mjJNT_FREE, "coupled joints that are free");
  const int position = m.jnt_qposadr[object], dof = m.jnt_dofadr[object];
  coupling.dofs.Add(dof);
  coupling.trees |= 1u << m.dof_treeid[dof];
  diagonal += m.dof_invweight0[dof];
  return {.position = position, .dof = dof, .tendon = -1, .reference = m.qpos0[position]};
}

void AddCoupling(const mjModel& m, int i, StepModel& flat) {
  Refuse(flat.num_couplings == kMaxCouplings, "its number of coupled joints");
  const bool is_tendon = m.eq_type[i] == mjEQ_TENDON;
  const int object1 = m.eq_obj1id[i], object2 = m.eq_obj2id[i];
  Coupling& coupling = flat.couplings[flat.num_couplings++];
  double diagonal = 0;
  coupling.first = CoupledOf(m, is_tendon, object1, coupling, flat, diagonal);
  coupling.has_second = object2 >= 0;
  if (coupling.has_second) {
    coupling.second = CoupledOf(m, is_tendon, object2, coupling, flat, diagonal);
  }
  Copy(coupling.polynomial, m.eq_data + mjNEQDATA * i);
  coupling.law = MakeLaw(m, m.eq_solref + mjNREF * i, m.eq_solimp + mjNIMP * i, diagonal, 0);
}

// A tendon in space may be limited if it spans two sites.
void AddSpan(const mjModel& m, int t, Tendon& tendon) {
  Refuse(m.tendon_stiffness[t] != 0, "springs of tendons in space");
  if (!m.tendon_limited[t]) return;
  const int first = m.tendon_adr[t];
  Refuse(m.tendon_num[t] != 2 || m.wrap_type[first] != mjWRAP_SITE ||
             m.wrap_type[first + 1] != mjWRAP_SITE,
         "limits of tendons in space that are not between two sites");
  for (int i = 0; i < 2; ++i) {
    tendon.sites[i] = m.wrap_objid[first + i];
    const int body = m.site_bodyid[tendon.sites[i]];
    tendon.dofs = tendon.dofs | DofsOf(m, body);
    if (m.body_treeid[body] >= 0) tendon.trees |= 1u << m.body_treeid[body];
  }
}

}  // namespace

void AddTendons(const mjModel& m, StepModel& flat) {
  for (int t = 0; t < m.ntendon; ++t) {
    Refuse(m.tendon_actfrclimited[t], "tendons with limits of forces");
    Refuse(!IsZero(m.tendon_stiffnesspoly + mjNPOLY * t, mjNPOLY) || m.tendon_damping[t] != 0 ||
               !IsZero(m.tendon_dampingpoly + mjNPOLY * t, mjNPOLY) ||
               m.tendon_frictionloss[t] != 0 || m.tendon_armature[t] != 0,
           "tendons with damping, friction or armature, or with springs that are not linear");
    const int first = m.tendon_adr[t], n = m.tendon_num[t];
    const bool is_sum = std::all_of(m.wrap_type + first, m.wrap_type + first + n,
                                    [](int type) { return type == mjWRAP_JOINT; });
    Tendon& tendon = flat.tendons[t];
    if (!is_sum) {
      AddSpan(m, t, tendon);
      flat.has_tendons_in_space = true;
    }
    Refuse(is_sum && n > kMaxTendonJoints, "tendons of many joints");
    tendon.size = is_sum ? n : 0;
    tendon.first = first;
    tendon.stiffness = m.tendon_stiffness[t];
    tendon.spring_low = m.tendon_lengthspring[2 * t];
    tendon.spring_high = m.tendon_lengthspring[2 * t + 1];
    flat.has_tendon_springs |= tendon.stiffness != 0;
    for (int i = 0; i < tendon.size; ++i) {
      const int joint = m.wrap_objid[first + i];
      tendon.position[i] = m.jnt_qposadr[joint];
      tendon.dof[i] = m.jnt_dofadr[joint];
      Refuse(tendon.dofs.Has(tendon.dof[i]), "tendons that have a joint twice");
      tendon.dofs.Add(tendon.dof[i]);
      if (flat.is_general) tendon.trees |= 1u << m.dof_treeid[tendon.dof[i]];
    }
    std::iota(tendon.by_dof, tendon.by_dof + tendon.size, 0);
    std::sort(tendon.by_dof, tendon.by_dof + tendon.size,
              [&](int a, int b) { return tendon.dof[a] < tendon.dof[b]; });
    tendon.is_limited = m.tendon_limited[t] != 0 && !(m.opt.disableflags & mjDSBL_CONSTRAINT);
    if (!tendon.is_limited) continue;
    flat.has_tendon_limits = true;
    tendon.low = m.tendon_range[2 * t];
    tendon.high = m.tendon_range[2 * t + 1];
    tendon.limit = MakeLaw(m, m.tendon_solref_lim + mjNREF * t, m.tendon_solimp_lim + mjNIMP * t,
                           m.tendon_invweight0[t], m.tendon_margin[t]);
  }
}

void AddLoss(const mjModel& m, int v, StepModel& flat) {
  const ConstraintLaw law =
      MakeLaw(m, m.dof_solref + mjNREF * v, m.dof_solimp + mjNIMP * v, m.dof_invweight0[v], 0);
  const double impedance = Impedance(law, 0);
  flat.losses[flat.num_losses++] = {.dof = v,
                                    .most = m.dof_frictionloss[v],
                                    .impedance = impedance,
                                    .damping = law.damping,
                                    .regularizer = Regularizer(law, impedance)};
}

// Welds come first: so do their rows.
void AddEqualities(const mjModel& m, StepModel& flat) {
  for (int i = 0; i < m.neq; ++i) {
    if (!m.eq_active0[i]) continue;
    const bool is_weld = m.eq_type[i] == mjEQ_WELD;
    Refuse(!is_weld && m.eq_type[i] != mjEQ_JOINT && m.eq_type[i] != mjEQ_TENDON,
           "equality constraints other than welds and couplings");
    Refuse(is_weld && flat.num_couplings > 0, "welds after couplings");
    is_weld ? AddWeld(m, i, flat) : AddCoupling(m, i, flat);
  }
}

}  // namespace parallel_pool::mujoco::lanes
