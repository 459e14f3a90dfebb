// Walk forwards like a human: Gymnasium 1.4's Humanoid-v5 and -v4, gym's -v3.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/gym/humanoid_body.h"
#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class Humanoid {
 public:
  static constexpr PictureStyle kStyle = AboveOrigin(2, 4);

  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 5;
    double forward_reward_weight = 1.25, ctrl_cost_weight = 0.1, contact_cost_weight = 5e-7;
    Numbers<2> contact_cost_range = {-kInf, 10.0};
    double healthy_reward = 5.0;
    bool terminate_when_unhealthy = true;
    Numbers<2> healthy_z_range = {1.0, 2.0};
    double reset_noise_scale = 1e-2;
    bool exclude_current_positions_from_observation = true;
    bool include_cinert_in_observation = true, include_cvel_in_observation = true,
         include_qfrc_actuator_in_observation = true, include_cfrc_ext_in_observation = true;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;  // qpos, without x and y, qvel; inertia, speeds, actuators, forces of bodies
    View<double> x_position, y_position, distance_from_origin, x_velocity, y_velocity;
    View<double> tendon_length, tendon_velocity;
    View<double> reward_survive, reward_forward, reward_ctrl, reward_contact;
    View<double> forward_reward;  // v4 and v3 only: a copy of reward_forward
  };

  static Options<Config> Describe() {
    Options<Config> options = {
        Option<&Config::xml_file>("xml_file", kXmlFileDoc),
        Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
        Option<&Config::forward_reward_weight>("forward_reward_weight", kForwardDoc),
        Option<&Config::ctrl_cost_weight>("ctrl_cost_weight", kControlCostDoc),
        Option<&Config::healthy_reward>("healthy_reward", kHealthyDoc),
        Option<&Config::terminate_when_unhealthy>("terminate_when_unhealthy", kTerminateDoc),
        Option<&Config::healthy_z_range>("healthy_z_range", kHealthyZDoc),
        Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange),
        Option<&Config::exclude_current_positions_from_observation>(
            "exclude_current_positions_from_observation", "x and y are not observed")};
    if (kVersion == 4) return options;
    Append(options, {Option<&Config::contact_cost_weight>("contact_cost_weight", kContactCostDoc),
                     Option<&Config::contact_cost_range>("contact_cost_range",
                                                         "bounds of the cost of contacts")});
    if (kVersion == 3) return options;
    Append(options,
           {Option<&Config::include_cinert_in_observation>("include_cinert_in_observation",
                                                           kInertiaDoc),
            Option<&Config::include_cvel_in_observation>("include_cvel_in_observation", kSpeedDoc),
            Option<&Config::include_qfrc_actuator_in_observation>(
                "include_qfrc_actuator_in_observation", kActuatorDoc),
            Option<&Config::include_cfrc_ext_in_observation>("include_cfrc_ext_in_observation",
                                                             kForceDoc)});
    return options;
  }
  static void Complete(Config& config) {
    CheckRanges(config, Describe());
    config.model = LoadRobot(config.xml_file, kModel, kOneTree, {.positions = 3, .speeds = 6});
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    constexpr bool old = kVersion != 5;
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(HumanoidBody::Size(model, Parts(config)))),
                  Array<&State::x_position>("info:x_position", AnyNumber()),
                  Array<&State::y_position>("info:y_position", AnyNumber()),
                  Array<&State::distance_from_origin>("info:distance_from_origin", AnyNumber()),
                  Array<&State::x_velocity>("info:x_velocity", AnyNumber()),
                  Array<&State::y_velocity>("info:y_velocity", AnyNumber()),
                  Array<&State::reward_survive>(old ? "info:reward_alive" : "info:reward_survive",
                                                AnyNumber()),
                  Array<&State::reward_forward>(old ? "info:reward_linvel" : "info:reward_forward",
                                                AnyNumber()),
                  Array<&State::reward_ctrl>(old ? "info:reward_quadctrl" : "info:reward_ctrl",
                                             AnyNumber())}};
    if (kVersion == 3) {
      Append(spec.state, {Array<&State::reward_contact>("info:reward_impact", AnyNumber())});
    }
    if (old) {
      Append(spec.state, {Array<&State::forward_reward>("info:forward_reward", AnyNumber())});
      return spec;
    }
    const Space tendons = AnyNumbers(model.ntendon);
    Append(spec.state, {Array<&State::reward_contact>("info:reward_contact", AnyNumber()),
                        Array<&State::tendon_length>("info:tendon_length", tendons),
                        Array<&State::tendon_velocity>("info:tendon_velocity", tendons)});
    return spec;
  }

  static unsigned ReadsOf(const Config&) { return HumanoidBody::kReads | kPlaces; }

  Humanoid(const Config& config, Rng& rng)
      : config_(config), robot_(config.model, config.frame_skip, rng, ReadsOf(config)) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    for (int i = 0; i < 2; ++i) before_[i] = CenterOfMass(i);
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto&) {
    const bool healthy = Within(config_.healthy_z_range, robot_.qpos()[2]);
    const double control = config_.ctrl_cost_weight * HumanoidBody::Controls(robot_);
    const auto [low, high] = config_.contact_cost_range;
    const double forces = config_.contact_cost_weight * HumanoidBody::Forces(robot_);
    const double contact = kVersion == 4 ? 0 : Clip(forces, low, high);
    shown_ = {.x_velocity = (CenterOfMass(0) - before_[0]) / robot_.dt(),
              .y_velocity = (CenterOfMass(1) - before_[1]) / robot_.dt(),
              .survive = Survives(healthy) * config_.healthy_reward,
              .forward = 0,
              .control = -control,
              .contact = -contact};
    shown_.forward = config_.forward_reward_weight * shown_.x_velocity;
    return {.reward = shown_.forward + shown_.survive - (control + contact),
            .terminated = !healthy && config_.terminate_when_unhealthy};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    HumanoidBody::Write(robot_, Parts(config_), state.obs);
    const mjData& data = robot_.data();
    double place[2] = {data.qpos[0], data.qpos[1]};
    if (kVersion != 5) place[0] = CenterOfMass(0), place[1] = CenterOfMass(1);
    *state.x_position = place[0];
    *state.y_position = place[1];
    *state.distance_from_origin = Norm(place, 2);
    *state.x_velocity = shown_.x_velocity;
    *state.y_velocity = shown_.y_velocity;
    Row(state.tendon_length).Add(data.ten_length, state.tendon_length.size);
    Row(state.tendon_velocity).Add(data.ten_velocity, state.tendon_velocity.size);
    *state.reward_survive = shown_.survive;
    *state.reward_forward = shown_.forward;
    *state.reward_ctrl = shown_.control;
    WriteIfPresent(state.reward_contact, shown_.contact);
    WriteIfPresent(state.forward_reward, shown_.forward);
  }

 private:
  static constexpr char kModel[] = "humanoid.xml";

  static HumanoidParts Parts(const Config& config) {
    return {.positions = !config.exclude_current_positions_from_observation,
            .inertia = config.include_cinert_in_observation,
            .speeds = config.include_cvel_in_observation,
            .actuators = config.include_qfrc_actuator_in_observation,
            .forces = config.include_cfrc_ext_in_observation,
            .all = kVersion != 5};
  }

  // Whether a step has the healthy reward: before v5, also the step that ends an episode.
  bool Survives(bool healthy) const {
    return healthy || (kVersion != 5 && config_.terminate_when_unhealthy);
  }

  // Coordinate i of the center of mass of all bodies.
  double CenterOfMass(int i) const {
    const mjModel& model = robot_.model();
    const size_t bodies = model.nbody;
    return WeightedSum(model.body_mass, robot_.data().xipos, bodies, i) /
           Sum(model.body_mass, bodies);
  }

  const Config config_;
  Robot robot_;
  double before_[2] = {};  // x and y of the center of mass before the step
  // Speeds and rewards of the last step.
  struct { double x_velocity, y_velocity, survive, forward, control, contact; } shown_ = {};
};

}  // namespace parallel_pool::mujoco::gym
