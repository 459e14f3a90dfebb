#include "parallel_pool/envs/mujoco/lanes/flatten.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace parallel_pool::mujoco::lanes {
namespace {

FixedFrame FrameOf(int body, int same_frame, const mjtNum* pos, const mjtNum* quat) {
  FixedFrame frame = {.body = body, .same_frame = same_frame, .pos = {}, .quat = RotationOf(quat)};
  Copy(frame.pos, pos);
  return frame;
}

void AddBodies(const mjModel& m, StepModel& flat) {
  for (int b = 0; b < m.nbody; ++b) {
    const double mass = m.body_subtreemass[b];
    Refuse(mass != 0 && mass < mjMINVAL, "bodies with hardly any mass");
    const mjtNum* const quat = m.body_quat + 4 * b;
    Body& body = flat.bodies[b];
    body = {
        .parent = m.body_parentid[b],
        .root = m.body_rootid[b],
        .carrier = flat.bodies[m.body_parentid[b]].is_fixed ? 0 : m.body_parentid[b],
        .first_joint = m.body_jntadr[b],
        .num_joints = m.body_jntnum[b],
        .first_dof = m.body_dofadr[b],
        .num_dofs = m.body_dofnum[b],
        .mocap = m.body_mocapid[b],
        .dofs = DofsOf(m, b),
        .tree = !flat.is_general || m.body_treeid[b] < 0 ? 0 : 1u << m.body_treeid[b],
        .is_fixed = DofsOf(m, b).empty() && m.body_mocapid[m.body_rootid[b]] < 0,
        .is_free = m.body_jntnum[b] == 1 && m.jnt_type[m.body_jntadr[b]] == mjJNT_FREE,
        .is_turned = quat[0] != 1 || !IsZero(quat + 1, 3),
        .pos = {},
        .quat = RotationOf(quat),
        .inertia_frame = FrameOf(b, m.body_sameframe[b], m.body_ipos + 3 * b, m.body_iquat + 4 * b),
        .mass = m.body_mass[b],
        .inverse_subtree_mass = mass == 0 ? 0 : 1.0 / mass,
        .inertia = {},
        .inverse_weight = {}};
    Copy(body.pos, m.body_pos + 3 * b);
    Copy(body.inverse_weight, m.body_invweight0 + 2 * b);
    Copy(body.inertia, m.body_inertia + 3 * b);
  }
}

void AddJoints(const mjModel& m, StepModel& flat) {
  for (int j = 0; j < m.njnt; ++j) {
    Joint& joint = flat.joints[j];
    const int position = m.jnt_qposadr[j];
    Refuse(m.jnt_type[j] == mjJNT_BALL, "ball joints");
    Refuse(!IsZero(m.jnt_stiffnesspoly + mjNPOLY * j, mjNPOLY), "springs that are not linear");
    Refuse(m.jnt_type[j] == mjJNT_FREE && m.jnt_stiffness[j] != 0, "springs of free joints");
    Refuse(m.jnt_actfrclimited[j] || m.jnt_actuatorid[j] >= 0,
           "actuators that limit or damp joints");
    joint = {.type = m.jnt_type[j],
             .body = m.jnt_bodyid[j],
             .position = position,
             .dof = m.jnt_dofadr[j],
             .axis = {},
             .pos = {},
             .reference = m.qpos0[position],
             .spring_reference = m.qpos_spring[position],
             .has_spring = m.jnt_stiffness[j] != 0,
             .is_centered = IsZero(m.jnt_pos + 3 * j, 3),
             .is_limited = m.jnt_limited[j] != 0 && !(m.opt.disableflags & mjDSBL_CONSTRAINT),
             .low = m.jnt_range[2 * j],
             .high = m.jnt_range[2 * j + 1],
             .margin = m.jnt_margin[j]};
    Copy(joint.axis, m.jnt_axis + 3 * j);
    Copy(joint.pos, m.jnt_pos + 3 * j);
    flat.has_springs |= joint.has_spring;
    flat.has_limits |= joint.is_limited;
    if (!joint.is_limited) continue;
    flat.limits[j] = MakeLaw(m, m.jnt_solref + mjNREF * j, m.jnt_solimp + mjNIMP * j,
                             m.dof_invweight0[joint.dof], joint.margin);
  }
}

void AddGeoms(const mjModel& m, StepModel& flat) {
  for (int g = 0; g < m.ngeom; ++g) {
    Geom& geom = flat.geoms[g];
    geom = {.type = m.geom_type[g],
            .is_wall = !flat.is_general && IsWall(m, g),
            .frame = FrameOf(m.geom_bodyid[g], m.geom_sameframe[g], m.geom_pos + 3 * g,
                             m.geom_quat + 4 * g),
            .size = {},
            .bound = m.geom_rbound[g]};
    Copy(geom.size, m.geom_size + 3 * g);
  }
  for (int s = 0; s < m.nsite; ++s) {
    flat.sites[s] =
        FrameOf(m.site_bodyid[s], m.site_sameframe[s], m.site_pos + 3 * s, m.site_quat + 4 * s);
  }
}

void AddDofs(const mjModel& m, StepModel& flat) {
  for (int v = 0; v < m.nv; ++v) {
    if (m.dof_frictionloss[v] != 0 && !(m.opt.disableflags & mjDSBL_CONSTRAINT))
      AddLoss(m, v, flat);
    Refuse(!IsZero(m.dof_dampingpoly + mjNPOLY * v, mjNPOLY), "damping that is not linear");
    flat.dof_body[v] = m.dof_bodyid[v];
    flat.dof_parent[v] = m.dof_parentid[v];
    flat.row[v] = m.M_rowadr[v];
    flat.row_size[v] = m.M_rownnz[v];
    for (int e = m.M_rowadr[v]; e < m.M_rowadr[v] + m.M_rownnz[v] - 1; ++e) {
      flat.ancestors[v].Add(m.M_colind[e]);
    }
    flat.armature[v] = m.dof_armature[v];
    flat.damping[v] = m.dof_damping[v];
    flat.is_simple[v] = m.dof_simplenum[v] != 0;
    flat.constant_inertia[v] = m.dof_M0[v];
    flat.has_damping |= m.dof_damping[v] > 0;
  }
  std::copy_n(m.M_colind, m.nC, flat.column);
}

void AddTrees(const mjModel& m, StepModel& flat) {
  for (int j = 0; j < m.njnt; ++j) {
    const int dof = m.jnt_dofadr[j];
    Tree& tree = flat.trees[m.dof_treeid[dof]];
    if (tree.num_joints++ > 0) continue;
    tree.first_joint = j;
    tree.dofs = {.begin = dof, .end = dof};
  }
  for (int v = 0; v < m.nv; ++v) ++flat.trees[m.dof_treeid[v]].dofs.end;
}

void AddActuators(const mjModel& m, StepModel& flat) {
  for (int a = 0; a < m.nu; ++a) {
    const bool is_on_tendon = m.actuator_trntype[a] == mjTRN_TENDON;
    Refuse(m.actuator_trntype[a] != mjTRN_JOINT && !is_on_tendon,
           "actuators that act on other things than joints and tendons");
    const bool is_servo = m.actuator_biastype[a] == mjBIAS_AFFINE;
    const int dynamics = m.actuator_dyntype[a], activation = m.actuator_actadr[a];
    Refuse(m.actuator_gaintype[a] != mjGAIN_FIXED ||
               (m.actuator_biastype[a] != mjBIAS_NONE && !is_servo),
           "actuators that are neither motors nor servos");
    Refuse((dynamics != mjDYN_NONE && dynamics != mjDYN_INTEGRATOR && dynamics != mjDYN_FILTER &&
            dynamics != mjDYN_FILTEREXACT) ||
               m.actuator_actnum[a] > 1,
           "actuators whose activations are neither filters nor integrators");
    const double time_constant = std::max(mjMINVAL, m.actuator_dynprm[mjNDYN * a]);
    const int object = m.actuator_trnid[2 * a];
    Refuse(is_on_tendon ? flat.tendons[object].size == 0 : m.jnt_type[object] == mjJNT_FREE,
           "motors of free joints or of tendons in space");
    flat.actuators[a] = {.position = is_on_tendon ? -1 : m.jnt_qposadr[object],
                         .dof = is_on_tendon ? -1 : m.jnt_dofadr[object],
                         .tendon = is_on_tendon ? object : -1,
                         .gear = m.actuator_gear[6 * a],
                         .gain = m.actuator_gainprm[mjNGAIN * a],
                         .is_servo = is_servo,
                         .bias = {},
                         .is_limited = m.actuator_ctrllimited[a] != 0,
                         .is_force_limited = m.actuator_forcelimited[a] != 0,
                         .low = m.actuator_ctrlrange[2 * a],
                         .high = m.actuator_ctrlrange[2 * a + 1],
                         .force_low = m.actuator_forcerange[2 * a],
                         .force_high = m.actuator_forcerange[2 * a + 1],
                         .activation = activation,
                         .dynamics = dynamics,
                         .is_early = m.actuator_actearly[a] != 0,
                         .is_activation_limited = m.actuator_actlimited[a] != 0,
                         .activation_low = m.actuator_actrange[2 * a],
                         .activation_high = m.actuator_actrange[2 * a + 1],
                         .time_constant = time_constant,
                         .way = 1 - std::exp(-m.opt.timestep / time_constant)};
    Copy(flat.actuators[a].bias, m.actuator_biasprm + mjNBIAS * a);
  }
}

bool MayTouchAny(const mjModel& m, int geom) {
  for (int i = 0; i < m.npair; ++i) {
    if (m.pair_geom1[i] == geom || m.pair_geom2[i] == geom) return true;
  }
  return m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0;
}

void AddScopes(const mjModel& m, StepModel& flat) {
  // Whether a body, or one below it, has what moves, touches or holds others.
  bool is_needed[kMaxBodies] = {};
  for (int i = 0; i < m.nwrap; ++i) {
    if (m.wrap_type[i] == mjWRAP_SITE) is_needed[m.site_bodyid[m.wrap_objid[i]]] = true;
  }
  for (int i = 0; i < m.neq; ++i) {
    if (m.eq_objtype[i] != mjOBJ_BODY) continue;
    is_needed[m.eq_obj1id[i]] = is_needed[m.eq_obj2id[i]] = true;
  }
  for (int b = flat.nbody - 1; b >= 0; --b) {
    is_needed[b] |= m.body_subtreemass[b] != 0 || m.body_dofnum[b] > 0 || m.body_geomnum[b] > 0 ||
                    m.body_mocapid[b] >= 0;
    if (is_needed[b]) is_needed[m.body_parentid[b]] = true;
  }
  for (int b = 0; b < flat.nbody; ++b) {
    flat.all.massive.Add(b);
    if (is_needed[b]) flat.least.massive.Add(b);
    if (b == 0) continue;
    flat.all.bodies.Add(b);
    if (is_needed[b] && !flat.bodies[b].is_fixed) flat.least.bodies.Add(b);
  }
  for (int g = 0; g < flat.ngeom; ++g) {
    const Geom& geom = flat.geoms[g];
    if (geom.frame.body == 0 || geom.is_wall) continue;
    flat.all.geoms.Add(g);
    const bool is_used = MayTouchAny(m, g) || m.geom_fluid[mjNFLUID * g] > 0;
    if (!flat.bodies[geom.frame.body].is_fixed && is_used) flat.least.geoms.Add(g);
  }
}

bool HasEllipsoids(const mjModel& m) {
  if (m.opt.density <= 0 && m.opt.viscosity <= 0) return false;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_fluid[mjNFLUID * g] > 0) return true;
  }
  return false;
}

// Adds the pairs of geoms; a model whose pairs, or other constraints, are not covered is general.
void AddContacts(const mjModel& m, StepModel& flat) {
  const bool has_servos = std::any_of(m.actuator_biastype, m.actuator_biastype + m.nactuator,
                                      [](int bias) { return bias != mjBIAS_NONE; });
  flat.is_general = has_servos || m.opt.noslip_iterations > 0 || m.na > 0 || m.neq > 0 ||
                    m.npair > 0 || m.nexclude > 0 || m.nmocap > 0 ||
                    m.opt.cone == mjCONE_ELLIPTIC || mj_isSparse(&m) || m.nv > kMaxTreeDofs ||
                    !IsZero(m.dof_frictionloss, static_cast<int>(m.nv)) ||
                    !IsZero(m.tendon_stiffness, static_cast<int>(m.ntendon)) ||
                    std::any_of(m.tendon_limited, m.tendon_limited + m.ntendon, std::identity()) ||
                    HasEllipsoids(m);
  const bool has_none = (m.opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) != 0;
  flat.has_contacts = !has_none;
  Refuse(flat.is_general && m.nmocap > kMaxMocaps, "its number of mocap bodies");
  Refuse(m.na > 0 && m.opt.integrator == mjINT_RK4, "activations with its integrator");
  if (flat.is_general || has_none) return;
  try {
    AddPairs(m, flat);
  } catch (const std::invalid_argument&) {
    flat.is_general = true;
    flat.num_pairs = flat.num_solid_pairs = flat.num_walls = flat.num_at_walls = 0;
  }
  if (!flat.is_general) CheckBounds(m);
}

}  // namespace

DofSet DofsOf(const mjModel& m, int body) {
  const int mover = m.body_weldid[body];
  DofSet dofs = {};
  int dof = m.body_dofnum[mover] > 0 ? m.body_dofadr[mover] + m.body_dofnum[mover] - 1 : -1;
  for (; dof >= 0; dof = m.dof_parentid[dof]) dofs.Add(dof);
  return dofs;
}

std::unique_ptr<const StepModel> Flatten(const mjModel& m, std::string* why_not) try {
  CheckModel(m);
  auto flat = std::make_unique<StepModel>();
  AddContacts(m, *flat);
  Refuse(flat->is_general && m.ntree > kMaxTrees, "its number of trees of bodies");
  flat->nq = static_cast<int>(m.nq);
  flat->nv = static_cast<int>(m.nv);
  flat->nbody = static_cast<int>(m.nbody);
  flat->njnt = static_cast<int>(m.njnt);
  flat->ngeom = static_cast<int>(m.ngeom);
  flat->nsite = static_cast<int>(m.nsite);
  flat->nu = static_cast<int>(m.nu);
  flat->na = static_cast<int>(m.na);
  flat->ntendon = static_cast<int>(m.ntendon);
  flat->num_inertias = static_cast<int>(m.nC);
  flat->ntree = static_cast<int>(m.ntree);
  flat->timestep = m.opt.timestep;
  if (!(m.opt.disableflags & mjDSBL_GRAVITY)) Copy(flat->gravity, m.opt.gravity);
  std::copy_n(m.qpos0, m.nq, flat->qpos0);
  flat->tolerance = m.opt.tolerance;
  flat->line_search_tolerance = m.opt.ls_tolerance;
  flat->impratio = m.opt.impratio;
  flat->iterations = m.opt.iterations;
  flat->line_search_iterations = m.opt.ls_iterations;
  flat->noslip_iterations = m.opt.noslip_iterations;
  flat->noslip_tolerance = m.opt.noslip_tolerance;
  flat->is_runge_kutta = m.opt.integrator == mjINT_RK4;
  flat->is_pgs = m.opt.solver == mjSOL_PGS;
  flat->is_sparse = mj_isSparse(&m) != 0;
  flat->is_elliptic = m.opt.cone == mjCONE_ELLIPTIC;
  flat->nmocap = static_cast<int>(m.nmocap);
  flat->neq = static_cast<int>(m.neq);
  AddBodies(m, *flat);
  AddJoints(m, *flat);
  AddGeoms(m, *flat);
  AddScopes(m, *flat);
  AddDofs(m, *flat);
  AddTrees(m, *flat);
  AddTendons(m, *flat);
  AddActuators(m, *flat);
  if (!(m.opt.disableflags & mjDSBL_CONSTRAINT)) AddEqualities(m, *flat);
  AddDrags(m, *flat);
  AddSensors(m, *flat);
  Refuse(flat->is_general && flat->is_pgs, "projected Gauss-Seidel with its contacts");
  Refuse(flat->is_pgs && m.ntree > 1 && (flat->has_limits || flat->num_pairs > 0),
         "projected Gauss-Seidel for several trees of bodies");
  return flat;
} catch (const std::invalid_argument& error) {
  *why_not = error.what();
  return nullptr;
}

}  // namespace parallel_pool::mujoco::lanes
