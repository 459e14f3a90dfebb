// The state of several envs in lanes, and what a step computes from it. Names are those of mjData.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/spatial.h"
#include "parallel_pool/envs/mujoco/lanes/step_model.h"

namespace parallel_pool::mujoco::lanes {

template <class V>
struct World {
  // The state and the controls.
  V qpos[kMaxPositions], qvel[kMaxDofs], qacc_warmstart[kMaxDofs];
  V act[kMaxActuators], ctrl[kMaxActuators];
  Vec3<V> mocap_pos[kMaxMocaps];
  Quat<V> mocap_quat[kMaxMocaps];
  // Numbers of the model that each env may have of its own: jnt_stiffness, those of wrap_prm, and,
  // of general models, body_pos, body_quat and dof_damping.
  V stiffness[kMaxJoints], tendon_scale[kMaxTendons][kMaxTendonJoints], damping[kMaxDofs];
  Vec3<V> body_pos[kMaxBodies];
  Quat<V> body_quat[kMaxBodies];

  // Functions of positions. Frames of the world body are constant.
  Vec3<V> xpos[kMaxBodies], xipos[kMaxBodies], subtree_com[kMaxBodies];
  Quat<V> xquat[kMaxBodies];
  Mat3<V> xmat[kMaxBodies], ximat[kMaxBodies];
  Vec3<V> geom_xpos[kMaxGeoms], xanchor[kMaxJoints], xaxis[kMaxJoints];
  Mat3<V> geom_xmat[kMaxGeoms];
  V cinert[kMaxBodies][10], crb[kMaxBodies][10];
  Spatial<V> cdof[kMaxDofs];
  V M[kMaxInertias];                         // the sparse lower rows of the inertia matrix
  V qLD[kMaxInertias], qLDiagInv[kMaxDofs];  // the factors L' D L of M, and 1 / D
  V qH[kMaxInertias], qHDiagInv[kMaxDofs];   // the same of M + timestep * damping

  // Functions of velocities.
  Spatial<V> cvel[kMaxBodies], cdof_dot[kMaxDofs], cacc[kMaxBodies], cfrc_body[kMaxBodies];
  V qfrc_spring[kMaxDofs], qfrc_damper[kMaxDofs], qfrc_passive[kMaxDofs], qfrc_bias[kMaxDofs];

  // Functions of forces.
  V act_dot[kMaxActuators], actuator_force[kMaxActuators], qfrc_actuator[kMaxDofs];
  V qfrc_smooth[kMaxDofs], qacc_smooth[kMaxDofs];  // without constraints
  V qfrc_constraint[kMaxDofs], qacc[kMaxDofs];
};

}  // namespace parallel_pool::mujoco::lanes
