// Steps of several envs in lanes: mj_step. An env whose step is not covered retreats: mj_step
// itself makes that step, from the same state.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/forces.h"
#include "parallel_pool/envs/mujoco/lanes/integrate.h"
#include "parallel_pool/envs/mujoco/lanes/kinematics.h"
#include "parallel_pool/envs/mujoco/lanes/runge_kutta.h"
#include "parallel_pool/envs/mujoco/lanes/scatter.h"
#include "parallel_pool/envs/mujoco/lanes/tree_constraints.h"
#include "parallel_pool/envs/mujoco/lanes/velocity.h"
// Elsewhere no search for contacts is proved (engine/model_pairs.cc).
#if defined(__linux__) && defined(__x86_64__)
#include "parallel_pool/envs/mujoco/lanes/general_constraints.h"
#define PARALLEL_POOL_HAS_GENERAL_LANES
#endif

namespace parallel_pool::mujoco::lanes {

// `Constraints` finds and solves those of all lanes, as TreeConstraints does.
template <class V, class Constraints>
class LaneStepper final : public Stepper {
 public:
  static constexpr int kLanes = kLanesOf<V>;
  static constexpr bool kIsGeneral = Constraints::kIsGeneral;

  void Step(const StepModel& m, LaneEnv* envs, int n, int steps, unsigned reads) override {
    envs_ = envs;
    size_ = n;
    constexpr unsigned kOfAll = kPlaces | kSites | kInertias | kContactForces | kStages | kAxes |
                                kSensors | kGeoms | kForceSensors | kQuaternions | kGeomAxes |
                                kSiteAxes | kCenters;
    scope_ = reads & kOfAll ? &m.all : &m.least;
    constraints_.Begin();
    odd_ = 0;
    for (int k = 0; k < kLanes; ++k) {
      const LaneEnv& env = envs[k < n ? k : 0];  // lanes left over repeat env 0
      LoadModel(m, *env.model, k);
      Load(m, env, k);
    }
    PlaceFixedBodies<kIsGeneral>(m, w_);
    const unsigned all = (1u << n) - 1;
    for (int step = 0; step < steps; ++step) {
      Advance(m, step == steps - 1 ? reads : 0);
      ForEachLane(all & ~retreats_, [&](int k) { envs[k].data->time += m.timestep; });
      ForEachLane(all & retreats_, [&](int k) { Retreat(m, envs[k], k); });
    }
    if (reads & kContactForces) constraints_.FindForcesOnBodies(m, w_, cfrc_ext_);
    if (reads & kAtEnd) Derive(m);
    if (HasSensors(reads, kAtEnd)) FindSensors(m, w_, sensors_);
    ForEachLane(all, [&](int k) { Store(m, envs[k], k, reads); });
  }

  const Contacts* contacts(int lane) const override { return constraints_.contacts(lane); }
  int CopyForces(int lane, double* forces) const override {
    return constraints_.CopyForces(lane, forces);
  }
  int iterations(int lane) const override { return constraints_.iterations(lane); }

 private:
  static constexpr double kMost = 1e10;  // libmujoco resets an env with larger numbers, and NaN

  static bool HasSensors(unsigned reads, unsigned when) {
    return (reads & kSensors) && (reads & kAtEnd) == when;
  }

  // Loads what an env's model may have of its own.
  void LoadModel(const StepModel& m, const mjModel& own, int k) {
    if (kIsGeneral) {
      Gather(own.body_pos, 3 * m.nbody, k, &w_.body_pos[0].x);
      Gather(own.body_quat, 4 * m.nbody, k, &w_.body_quat[0].w);
      Gather(own.dof_damping, m.nv, k, w_.damping);
    }
    if (m.has_springs) Gather(own.jnt_stiffness, m.njnt, k, w_.stiffness);
    for (int t = 0; t < m.ntendon; ++t) {
      const Tendon& tendon = m.tendons[t];
      Gather(own.wrap_prm + tendon.first, tendon.size, k, w_.tendon_scale[t]);
    }
  }
  void Load(const StepModel& m, const LaneEnv& env, int k) {
    Gather(env.data->qpos, m.nq, k, w_.qpos);
    Gather(env.data->qvel, m.nv, k, w_.qvel);
    Gather(env.data->qacc_warmstart, m.nv, k, w_.qacc_warmstart);
    Gather(env.data->ctrl, m.nu, k, w_.ctrl);
    Gather(env.data->act, m.na, k, w_.act);
    Gather(env.data->mocap_pos, 3 * m.nmocap, k, &w_.mocap_pos[0].x);
    Gather(env.data->mocap_quat, 4 * m.nmocap, k, &w_.mocap_quat[0].w);
    for (int i = 0; i < m.neq; ++i) {
      if (env.data->eq_active[i] != env.model->eq_active0[i]) odd_ |= 1u << k;
    }
  }

  // Lets libmujoco make the step of an env, and goes on from there.
  void Retreat(const StepModel& m, LaneEnv& env, int k) {
    Scatter(qpos_before_, m.nq, k, env.data->qpos);
    Scatter(qvel_before_, m.nv, k, env.data->qvel);
    Scatter(act_before_, m.na, k, env.data->act);
    Scatter(w_.qacc_warmstart, m.nv, k, env.data->qacc_warmstart);
    if (env.step_by_library(env.owner)) Load(m, env, k);
  }

  void Store(const StepModel& m, LaneEnv& env, int k, unsigned reads) {
    mjData* const d = env.data;
    env.constraints = constraints_.Number(k);
    env.is_placed = retreats_ >> k & 1;
    if (env.is_placed) return;
    env.is_placed = bad_at_end_ >> k & 1;
    Scatter(w_.qpos, m.nq, k, d->qpos);
    Scatter(w_.qvel, m.nv, k, d->qvel);
    Scatter(w_.act, m.na, k, d->act);
    Scatter(w_.qacc, m.nv, k, d->qacc);
    Scatter(w_.qacc_warmstart, m.nv, k, d->qacc_warmstart);
    Scatter(placed_, m.nq, k, env.placed);
    ScatterReads(m, w_, cfrc_ext_, k, reads, d);
    for (int s = 0; (reads & kSensors) && s < m.num_sensors; ++s) {
      Scatter(&sensors_[s].x, m.sensors[s].size, k, d->sensordata + m.sensors[s].address);
    }
    for (int s = 0; (reads & kForceSensors) && s < m.num_touches; ++s) {
      d->sensordata[m.touches[s].address] = At(touches_[s], k);
    }
    for (int s = 0; (reads & kForceSensors) && s < m.num_force_sensors; ++s) {
      Scatter(&forces_[s].x, 3, k, d->sensordata + m.force_sensors[s].address);
    }
    if (reads & kTendons) ScatterTendons(m, w_, placed_, moving_, k, d);
  }

  // Makes a step of all lanes, and the sensors of `reads`; `retreats_` are those in which it is not
  // valid.
  void Advance(const StepModel& m, unsigned reads) {
    for (int i = 0; i < m.nq; ++i) qpos_before_[i] = w_.qpos[i];
    for (int v = 0; v < m.nv; ++v) qvel_before_[v] = w_.qvel[v];
    for (int a = 0; a < m.na; ++a) act_before_[a] = w_.act[a];
    retreats_ = BadLanes(m);
    bad_at_end_ = 0;
    for (int a = 0; a < m.nu; ++a) retreats_ |= Bits<V>(!(Abs<V>(w_.ctrl[a]) <= kMost));
    if (kIsGeneral) retreats_ |= odd_ | BadMocaps(m);
    MakeHarmless(m, retreats_);
    Forward(m);
    FindSensorsOfStep(m, reads);
    Watch(m);
    if (m.is_runge_kutta) {
      RungeKutta(m);
      Watch(m);
    } else {
      Euler(m);
    }
    for (int v = 0; v < m.nv; ++v) {
      w_.qacc_warmstart[v] = Pick<V>(MaskOf<V>(retreats_), w_.qacc_warmstart[v], w_.qacc[v]);
    }
    for (int v = 0; kIsMujoco4 && m.is_runge_kutta && v < m.nv; ++v) w_.qacc[v] = mean_[v];
  }

  // The lanes whose state libmujoco would reset.
  unsigned BadLanes(const StepModel& m) const {
    unsigned bad = 0;
    for (int i = 0; i < m.nq; ++i) bad |= Bits<V>(!(Abs<V>(w_.qpos[i]) <= kMost));
    for (int v = 0; v < m.nv; ++v) bad |= Bits<V>(!(Abs<V>(w_.qvel[v]) <= kMost));
    return bad;
  }
  // The lanes in which a mocap body has no pose.
  unsigned BadMocaps(const StepModel& m) const {
    unsigned bad = 0;
    for (int i = 0; i < m.nmocap; ++i) {
      const Vec3<V>& p = w_.mocap_pos[i];
      const Quat<V>& q = w_.mocap_quat[i];
      bad |= Bits<V>(!(Abs<V>(p.x) + Abs<V>(p.y) + Abs<V>(p.z) <= kMost));
      const V length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
      bad |= Bits<V>(!(length <= kMost)) | Bits<V>(length < 1e-20);
    }
    return bad;
  }
  // Gives lanes another state for the time of a step that is not theirs.
  void MakeHarmless(const StepModel& m, unsigned lanes) {
    ForEachLane(lanes, [&](int k) {
      Gather(m.qpos0, m.nq, k, w_.qpos);
      for (int v = 0; v < m.nv; ++v) At(w_.qvel[v], k) = 0;
      for (int a = 0; a < m.nu; ++a) At(w_.ctrl[a], k) = 0;
      for (int i = 0; i < m.nmocap; ++i) {
        constexpr double kPose[7] = {0, 0, 0, 1, 0, 0, 0};
        Gather(kPose, 3, k, &w_.mocap_pos[i].x);
        Gather(kPose + 3, 4, k, &w_.mocap_quat[i].w);
      }
    });
  }
  void Watch(const StepModel& m) {
    for (int v = 0; v < m.nv; ++v) retreats_ |= Bits<V>(!(Abs<V>(w_.qacc[v]) <= kMost));
  }

  // The arrays of positions and velocities at the end of the steps: mj_step1 without constraints.
  void Derive(const StepModel& m) {
    bad_at_end_ = BadLanes(m);
    for (int i = 0; i < m.nq; ++i) placed_[i] = w_.qpos[i];
    for (int v = 0; v < m.nv; ++v) moving_[v] = w_.qvel[v];
    PlaceBodies<kIsGeneral>(m, *scope_, w_);
    FindCenters(m, *scope_, w_);
    FindVelocities(m, *scope_, w_);
  }

  // The accelerations at the positions and velocities: mj_forward.
  void Forward(const StepModel& m) {
    for (int i = 0; i < m.nq; ++i) placed_[i] = w_.qpos[i];
    for (int v = 0; v < m.nv; ++v) moving_[v] = w_.qvel[v];
    PlaceBodies<kIsGeneral>(m, *scope_, w_);
    FindCenters(m, *scope_, w_);
    retreats_ |= FindInertiaMatrix(m, *scope_, w_);
    retreats_ |= constraints_.Find(m, *scope_, w_, envs_, size_, retreats_);
    FindVelocities(m, *scope_, w_);
    FindPassiveForces<kIsGeneral>(m, w_);
    FindBiasForces(m, *scope_, w_);
    FindActuatorForces(m, w_);
    FindSmoothAccelerations(m, w_);
    for (int v = 0; v < m.nv; ++v) {
      w_.qacc[v] = w_.qacc_smooth[v];
      w_.qfrc_constraint[v] = All<V>(0);
    }
    retreats_ |= constraints_.Solve(m, w_, retreats_);
  }

  // Sensors are those of the step's beginning: later stages of Runge-Kutta compute none.
  void FindSensorsOfStep(const StepModel& m, unsigned reads) {
    if (HasSensors(reads, 0)) FindSensors(m, w_, sensors_);
    if ((reads & kForceSensors) == 0) return;
    if (m.num_touches > 0) constraints_.FindTouches(m, w_, touches_);
    if (m.num_force_sensors == 0) return;
    constraints_.FindForcesOnBodies(m, w_, cfrc_ext_);
    FindForceSensors(m, *scope_, w_, cfrc_ext_, forces_);
  }

  // Semi-implicit Euler, with damping at the end of the step: mj_Euler.
  void Euler(const StepModel& m) {
    V acceleration[kMaxDofs];
    for (int v = 0; v < m.nv; ++v) acceleration[v] = w_.qacc[v];
    if (m.has_damping) {
      for (int i = 0; i < m.num_inertias; ++i) w_.qH[i] = w_.M[i];
      for (int v = 0; v < m.nv; ++v) {
        V& diagonal = w_.qH[m.row[v] + m.row_size[v] - 1];
        diagonal = diagonal + All<V>(m.timestep) * DampingOf<kIsGeneral>(m, w_, v);
        acceleration[v] = w_.qfrc_smooth[v] + w_.qfrc_constraint[v];
      }
      retreats_ |= Factor(m, w_.qH, w_.qHDiagInv);
      Solve(m, {0, m.nv}, w_.qH, w_.qHDiagInv, acceleration);
    }
    for (int a = 0; m.na > 0 && a < m.nu; ++a) {
      const Actuator& motor = m.actuators[a];
      if (motor.activation >= 0) w_.act[motor.activation] = NextActivation(m, w_, motor);
    }
    for (int v = 0; v < m.nv; ++v) w_.qvel[v] = w_.qvel[v] + acceleration[v] * m.timestep;
    Integrate(m, w_.qvel, m.timestep, w_.qpos);
  }

  // The classic Runge-Kutta method of order 4: mj_RungeKutta. The warm start stays that of the
  // step's beginning.
  void RungeKutta(const StepModel& m) {
    constexpr double kStages[3] = {0.5, 0.5, 1};
    constexpr double kWeights[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    V qpos[kMaxPositions], velocity[4][kMaxDofs], acceleration[4][kMaxDofs];
    V dv[kMaxDofs], da[kMaxDofs];
    for (int i = 0; i < m.nq; ++i) qpos[i] = w_.qpos[i];
    for (int v = 0; v < m.nv; ++v) {
      velocity[0][v] = w_.qvel[v];
      acceleration[0][v] = w_.qacc[v];
    }
    for (int s = 1; s < 4; ++s) {
      for (int v = 0; v < m.nv; ++v) {
        dv[v] = velocity[s - 1][v] * kStages[s - 1];
        da[v] = acceleration[s - 1][v] * kStages[s - 1];
      }
      for (int i = 0; i < m.nq; ++i) w_.qpos[i] = qpos[i];
      Integrate(m, dv, m.timestep, w_.qpos);
      for (int v = 0; v < m.nv; ++v) {
        w_.qvel[v] = velocity[s][v] = velocity[0][v] + da[v] * m.timestep;
      }
      for (int j = 0; kIsMujoco4 && j < m.njnt; ++j) {
        const int turn = m.joints[j].dof + 3;
        if (m.joints[j].type == mjJNT_FREE) FollowTurn(dv + turn, m.timestep, velocity[s] + turn);
      }
      Forward(m);
      for (int v = 0; v < m.nv; ++v) acceleration[s][v] = w_.qacc[v];
    }
    for (int v = 0; v < m.nv; ++v) {
      dv[v] = velocity[0][v] * kWeights[0];
      da[v] = acceleration[0][v] * kWeights[0];
      for (int s = 1; s < 4; ++s) {
        dv[v] = dv[v] + velocity[s][v] * kWeights[s];
        da[v] = da[v] + acceleration[s][v] * kWeights[s];
      }
      w_.qvel[v] = velocity[0][v] + da[v] * m.timestep;
      mean_[v] = da[v];
    }
    for (int i = 0; i < m.nq; ++i) w_.qpos[i] = qpos[i];
    Integrate(m, dv, m.timestep, w_.qpos);
  }

  const Scope* scope_;
  LaneEnv* envs_;
  int size_;  // of envs_
  World<V> w_;
  Constraints constraints_;
  Spatial<V> cfrc_ext_[kMaxBodies];
  V qpos_before_[kMaxPositions], qvel_before_[kMaxDofs], act_before_[kMaxActuators];
  V mean_[kMaxDofs];  // of the accelerations of Runge-Kutta's stages
  // The positions and velocities of which the arrays of w_ are.
  V placed_[kMaxPositions], moving_[kMaxDofs];
  Vec3<V> sensors_[kMaxSensors];
  V touches_[kMaxTouches];
  Vec3<V> forces_[kMaxSensors];  // of force sensors
  unsigned retreats_, bad_at_end_;
  unsigned odd_;  // lanes whose constraints are others than the model's
};

template <int kNv, class V, template <int, class> class Solver>
Stepper* NewTreeStepper() {
  return new LaneStepper<V, TreeConstraints<kNv, V, Solver>>();
}

// The stepper of a model, with loops of known length if it is one tree with a common number of
// dofs.
template <class V>
Stepper* MakeLaneStepper(const StepModel& m) {
#ifdef PARALLEL_POOL_HAS_GENERAL_LANES
  if constexpr (kLanesOf<V> <= kMostGeneralLanes) {
    if (m.is_general) return new LaneStepper<V, GeneralConstraints<V>>();
  }
#endif
  const int nv = m.ntree == 1 ? m.nv : 0;
  if (m.is_pgs) return nv == 23 ? NewTreeStepper<23, V, Pgs>() : NewTreeStepper<0, V, Pgs>();
  switch (nv) {
    case 2:
      return NewTreeStepper<2, V, Newton>();
    case 3:
      return NewTreeStepper<3, V, Newton>();
    case 5:
      return NewTreeStepper<5, V, Newton>();
    case 6:
      return NewTreeStepper<6, V, Newton>();
    case 7:
      return NewTreeStepper<7, V, Newton>();
    case 9:
      return NewTreeStepper<9, V, Newton>();
    case 14:
      return NewTreeStepper<14, V, Newton>();
    case 27:
      return NewTreeStepper<27, V, Newton>();
    default:
      return NewTreeStepper<0, V, Newton>();
  }
}

}  // namespace parallel_pool::mujoco::lanes
