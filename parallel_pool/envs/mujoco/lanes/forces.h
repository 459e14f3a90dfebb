// Forces of actuators, and the acceleration without constraints: mj_fwdActuation and
// mj_fwdAcceleration.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/inertia.h"

namespace parallel_pool::mujoco::lanes {

// The activation of an actuator at the end of the step: mj_nextActivation.
template <class V>
inline V NextActivation(const StepModel& m, const World<V>& w, const Actuator& motor) {
  const V &act = w.act[motor.activation], &change = w.act_dot[motor.activation];
  const V next = motor.dynamics == mjDYN_FILTEREXACT
                     ? act + change * motor.time_constant * motor.way
                     : act + change * m.timestep;
  return motor.is_activation_limited ? Clip<V>(next, motor.activation_low, motor.activation_high)
                                     : next;
}

// The control or the activation that the force of an actuator is proportional to.
template <class V>
inline V InputOf(const StepModel& m, World<V>& w, int a) {
  const Actuator& motor = m.actuators[a];
  const V control = motor.is_limited ? Clip<V>(w.ctrl[a], motor.low, motor.high) : w.ctrl[a];
  if (motor.activation < 0) return control;
  const V& act = w.act[motor.activation];
  w.act_dot[motor.activation] =
      motor.dynamics == mjDYN_INTEGRATOR ? control : (control - act) / motor.time_constant;
  return motor.is_early ? NextActivation(m, w, motor) : act;
}

template <class V>
inline void FindActuatorForces(const StepModel& m, World<V>& w) {
  for (int v = 0; v < m.nv; ++v) w.qfrc_actuator[v] = All<V>(0);
  for (int a = 0; a < m.nu; ++a) {
    const Actuator& motor = m.actuators[a];
    V force = motor.gain * InputOf(m, w, a);
    if (motor.is_servo) {
      V length, velocity;
      if (motor.tendon < 0) {
        length = w.qpos[motor.position] * motor.gear;
        velocity = w.qvel[motor.dof] * motor.gear;
      } else {
        length = LengthOf(m, w, motor.tendon) * motor.gear;
        velocity = VelocityOf(m, w, motor.tendon, w.qvel, motor.gear);
      }
      force = force + (motor.bias[0] + motor.bias[1] * length + motor.bias[2] * velocity);
    }
    if (motor.is_force_limited) force = Clip<V>(force, motor.force_low, motor.force_high);
    w.actuator_force[a] = force;
    if (motor.tendon < 0) {
      w.qfrc_actuator[motor.dof] = w.qfrc_actuator[motor.dof] + motor.gear * force;
      continue;
    }
    const Tendon& tendon = m.tendons[motor.tendon];
    for (int i = 0; i < tendon.size; ++i) {
      V& sum = w.qfrc_actuator[tendon.dof[i]];
      sum = sum + w.tendon_scale[motor.tendon][i] * motor.gear * force;
    }
  }
}

template <class V>
inline void FindSmoothAccelerations(const StepModel& m, World<V>& w) {
  for (int v = 0; v < m.nv; ++v) {
    w.qfrc_smooth[v] = (w.qfrc_passive[v] - w.qfrc_bias[v]) + w.qfrc_actuator[v];
    w.qacc_smooth[v] = w.qfrc_smooth[v];
  }
  Solve(m, {0, m.nv}, w.qLD, w.qLDiagInv, w.qacc_smooth);
}

}  // namespace parallel_pool::mujoco::lanes
