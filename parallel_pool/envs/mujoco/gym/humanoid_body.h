// The body that Humanoid and HumanoidStandup share: its options, its observation, its first states.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

// The options that both have.
struct HumanoidConfig {
  std::string xml_file;
  int frame_skip = 5;
  double ctrl_cost_weight = 0.1;
  double reset_noise_scale = 1e-2;
  bool exclude_current_positions_from_observation = true;
  bool include_cinert_in_observation = true, include_cvel_in_observation = true,
       include_qfrc_actuator_in_observation = true, include_cfrc_ext_in_observation = true;
  Model model = nullptr;  // the model of xml_file

  // Those of all versions, and those of the newest one.
  static Options<HumanoidConfig> Describe() {
    using C = HumanoidConfig;
    return {Option<&C::xml_file>("xml_file", kXmlFileDoc),
            Option<&C::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
            Option<&C::ctrl_cost_weight>("ctrl_cost_weight", kControlCostDoc),
            Option<&C::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange),
            Option<&C::exclude_current_positions_from_observation>(
                "exclude_current_positions_from_observation", "x and y are not observed")};
  }
  static Options<HumanoidConfig> DescribeParts() {
    using C = HumanoidConfig;
    return {Option<&C::include_cinert_in_observation>("include_cinert_in_observation",
                                                      "mass and inertia of bodies are observed"),
            Option<&C::include_cvel_in_observation>("include_cvel_in_observation",
                                                    "speeds of bodies are observed"),
            Option<&C::include_qfrc_actuator_in_observation>("include_qfrc_actuator_in_observation",
                                                             "forces of actuators are observed"),
            Option<&C::include_cfrc_ext_in_observation>("include_cfrc_ext_in_observation",
                                                        "forces on bodies are observed")};
  }
  void Load(const char* own_file) {
    model = LoadRobot(xml_file, own_file, kOneTree, {.positions = 3, .speeds = 6});
  }
};

// The body of a task. With `kAll`, its observation also has the parts of the world (body 0) and of
// the root, which has no actuators.
template <bool kAll>
class HumanoidBody {
 public:
  struct Action { View<const AnyFloat> control; };

  const Simulation& simulation() const { return robot_; }

 protected:
  // The arrays that an observation and the rewards need.
  static constexpr unsigned kReads = kInertias | kActuation | kContactForces | kTendons;

  HumanoidBody(const HumanoidConfig& config, Rng& rng, unsigned reads)
      : robot_(config.model, config.frame_skip, rng, reads) {}

  void Begin(double noise) {
    robot_.DrawPositions(noise);
    robot_.DrawSpeeds(noise);
    robot_.Begin();
  }

  // The size of an observation: qpos, without x and y, qvel; inertia, speeds, actuators, forces of
  // bodies.
  static int Size(const HumanoidConfig& config) {
    const mjModel& model = *config.model;
    const int bodies = model.nbody - kFirst;
    return model.nq - Skipped(config) + model.nv +
           (config.include_cinert_in_observation ? kInertia * bodies : 0) +
           (config.include_cvel_in_observation ? kSpeed * bodies : 0) +
           (config.include_qfrc_actuator_in_observation ? model.nv - kRoot : 0) +
           (config.include_cfrc_ext_in_observation ? kSpeed * bodies : 0);
  }
  void Write(const HumanoidConfig& config, View<double> obs) const {
    const mjModel& model = robot_.model();
    const mjData& data = robot_.data();
    const int skipped = Skipped(config), bodies = model.nbody - kFirst;
    Row row(obs);
    row.Add(data.qpos + skipped, model.nq - skipped).Add(data.qvel, model.nv);
    if (config.include_cinert_in_observation) {
      row.Add(data.cinert + kInertia * kFirst, kInertia * bodies);
    }
    if (config.include_cvel_in_observation) row.Add(data.cvel + kSpeed * kFirst, kSpeed * bodies);
    if (config.include_qfrc_actuator_in_observation) {
      row.Add(data.qfrc_actuator + kRoot, model.nv - kRoot);
    }
    if (config.include_cfrc_ext_in_observation) {
      row.Add(data.cfrc_ext + kSpeed * kFirst, kSpeed * bodies);
    }
  }
  // Infos of v5.
  void WriteTendons(View<double> length, View<double> velocity) const {
    Row(length).Add(robot_.data().ten_length, length.size);
    Row(velocity).Add(robot_.data().ten_velocity, velocity.size);
  }

  // The sum of squared forces on bodies.
  double Forces() const {
    return SumOfSquares(robot_.data().cfrc_ext, kSpeed * robot_.model().nbody);
  }
  // The sum of squared controls, in float64 as in MuJoCo.
  double Controls() const { return SumOfSquares(robot_.data().ctrl, robot_.model().nu); }

  Robot robot_;

 private:
  static int Skipped(const HumanoidConfig& config) {
    return config.exclude_current_positions_from_observation ? 2 : 0;  // x and y
  }

  static constexpr int kFirst = kAll ? 0 : 1;  // of the bodies
  static constexpr int kRoot = kAll ? 0 : 6;   // speeds of the free root body to skip
  static constexpr int kInertia = 10;          // numbers for a body: its inertia and mass,
  static constexpr int kSpeed = 6;             // its speed, and the force on it
};

}  // namespace parallel_pool::mujoco::gym
