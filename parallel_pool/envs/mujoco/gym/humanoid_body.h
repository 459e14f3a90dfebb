// The parts of the observation that Humanoid and HumanoidStandup share.
#pragma once

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

// Help texts of options.
inline constexpr char kInertiaDoc[] = "mass and inertia of bodies are observed";
inline constexpr char kSpeedDoc[] = "speeds of bodies are observed";
inline constexpr char kActuatorDoc[] = "forces of actuators are observed";
inline constexpr char kForceDoc[] = "forces on bodies are observed";

// The parts of an observation in addition to qpos and qvel.
struct HumanoidParts {
  bool positions, inertia, speeds, actuators, forces;
  bool all;  // also those of the world (body 0) and of the root, which has no actuators
};

class HumanoidBody {
 public:
  static int Size(const mjModel& model, const HumanoidParts& parts) {
    const int bodies = model.nbody - First(parts);
    return model.nq - (parts.positions ? 0 : kFree) + model.nv +
           (parts.inertia ? kInertia * bodies : 0) + (parts.speeds ? kSpeed * bodies : 0) +
           (parts.actuators ? model.nv - Root(parts) : 0) + (parts.forces ? kSpeed * bodies : 0);
  }

  static void Write(const Robot& robot, const HumanoidParts& parts, View<double> obs) {
    const mjModel& model = robot.model();
    const mjData& data = robot.data();
    const int first = First(parts), bodies = model.nbody - first;
    const int skipped = parts.positions ? 0 : kFree, root = Root(parts);
    Row row(obs);
    row.Add(data.qpos + skipped, model.nq - skipped).Add(data.qvel, model.nv);
    if (parts.inertia) row.Add(data.cinert + kInertia * first, kInertia * bodies);
    if (parts.speeds) row.Add(data.cvel + kSpeed * first, kSpeed * bodies);
    if (parts.actuators) row.Add(data.qfrc_actuator + root, model.nv - root);
    if (parts.forces) row.Add(data.cfrc_ext + kSpeed * first, kSpeed * bodies);
  }

  // The sum of squared forces on bodies.
  static double Forces(const Robot& robot) {
    return SumOfSquares(robot.data().cfrc_ext, kSpeed * robot.model().nbody);
  }

  // The sum of squared controls, in float64 as in MuJoCo.
  static double Controls(const Robot& robot) {
    return SumOfSquares(robot.data().ctrl, robot.model().nu);
  }

  // The arrays that all of it needs.
  static constexpr unsigned kReads = kInertias | kActuation | kContactForces | kTendons;

 private:
  static int First(const HumanoidParts& parts) { return parts.all ? 0 : 1; }
  // The number of speeds of the free root body to skip.
  static int Root(const HumanoidParts& parts) { return parts.all ? 0 : 6; }

  static constexpr int kFree = 2;      // x and y
  static constexpr int kInertia = 10;  // numbers for a body: its inertia and mass,
  static constexpr int kSpeed = 6;     // its speed, and the force on it
};

}  // namespace parallel_pool::mujoco::gym
