// Envs in lanes, and the steppers of the processor's instruction sets.
#pragma once

#include <mujoco/mujoco.h>

#include "parallel_pool/envs/mujoco/lanes/narrow_phase.h"
#include "parallel_pool/envs/mujoco/lanes/step_model.h"

namespace parallel_pool::mujoco::lanes {

// The arrays of mjData that a task reads after a step, next to qpos, qvel and time.
enum Reads : unsigned {
  kNothing = 0,
  kPlaces = 1,           // xpos, xipos
  kSites = 2,            // site_xpos
  kInertias = 4,         // cinert, cvel
  kActuation = 8,        // qfrc_actuator
  kContactForces = 16,   // cfrc_ext
  kConstraints = 32,     // qfrc_constraint
  kTendons = 64,         // ten_length, ten_velocity
  kStages = 128,         // all others that steps in lanes compute: scatter.h lists them
  kAxes = 256,           // xmat
  kSensors = 512,        // sensordata of the sensors that a StepModel lists
  kForceSensors = 1024,  // sensordata of accelerometers, and of sensors of touch, force and torque
  kGeoms = 2048,         // geom_xpos
  kQuaternions = 4096,   // xquat
  kGeomAxes = 8192,      // geom_xmat
  kSiteAxes = 16384,     // site_xmat
  kCenters = 32768,      // subtree_com
  kAll = 65535,
  kAtEnd = 65536,         // arrays of positions and velocities are those of the end of the steps
  kEverySensor = 131072,  // all of sensordata; lanes may lack some (StepModel::lacks_sensors)
  kOnlyLibrary = 262144,  // arrays that only mj_step computes, so the env is not stepped in lanes
  kByPlace = 524288       // arrays of positions that steps in lanes leave to Simulation::Place
};

struct LaneEnv {
  // Its model, of which jnt_stiffness, wrap_prm and, if it is general, body_pos, body_quat and
  // dof_damping are its own; all else is as in the StepModel.
  const mjModel* model;
  mjData* data;    // with the state and the controls
  mjtNum* placed;  // nq: the positions of which the arrays of positions are
  bool is_placed;  // whether `data` has all arrays, because libmujoco made the last step
  // A number for the constraints of the last step: envs in which it is the same, or near, have like
  // constraints, and are best stepped together.
  uint64_t constraints;
  // Makes a step by mj_step. False: it threw; the owner has the error then.
  bool (*step_by_library)(void* owner);
  // Find the contacts of the frames in `data`, and put them there, for general models: by the
  // frames of bodies and geoms, and, where one of those is doubtful, by those and the frames of
  // inertias. False: they are not known.
  bool (*find_contacts)(void* owner);
  bool (*find_doubtful_contacts)(void* owner);
  void* owner;
};

// Steps several envs together. One thread uses it at a time.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // Makes `steps` steps of each of the `n` envs, whose model is `m`. Fills qpos, qvel, qacc,
  // qacc_warmstart, time and the arrays of `reads` in their data. n is at most the number of lanes.
  virtual void Step(const StepModel& m, LaneEnv* envs, int n, int steps, unsigned reads) = 0;

  // For tests: the contacts of the last step, or nullptr if they are in the env's mjData; the
  // forces of the constraints' rows, of which there are at most kMostRows and the result is their
  // number; and the number of the solver's iterations.
  virtual const Contacts* contacts(int lane) const = 0;
  virtual int CopyForces(int lane, double* forces) const = 0;
  virtual int iterations(int lane) const = 0;
};

// Envs whose constraints differ are solved one after the other. So few lanes are enough for general
// models.
inline constexpr int kMostGeneralLanes = 4;

// Make the stepper of one, two, four or eight envs of a model.
Stepper* MakeStepperOfOne(const StepModel& m);    // needs AVX2
Stepper* MakeStepperOfTwo(const StepModel& m);    // needs 64-bit ARM
Stepper* MakeStepperOfFour(const StepModel& m);   // needs AVX2
Stepper* MakeStepperOfEight(const StepModel& m);  // needs AVX-512

}  // namespace parallel_pool::mujoco::lanes
