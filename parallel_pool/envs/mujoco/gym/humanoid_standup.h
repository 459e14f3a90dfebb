// Stand up like a human: Gymnasium 1.4's HumanoidStandup-v5 and -v4.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/gym/humanoid_body.h"
#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class HumanoidStandup {
 public:
  static constexpr PictureStyle kStyle = AboveOrigin(0.8925, 4);

  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 5;
    double uph_cost_weight = 1.0, ctrl_cost_weight = 0.1, impact_cost_weight = 0.5e-6;
    Numbers<2> impact_cost_range = {-kInf, 10.0};
    double reset_noise_scale = 1e-2;
    bool exclude_current_positions_from_observation = true;
    bool include_cinert_in_observation = true, include_cvel_in_observation = true,
         include_qfrc_actuator_in_observation = true, include_cfrc_ext_in_observation = true;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;  // qpos, without x and y, qvel; inertia, speeds, actuators, forces of bodies
    View<double> x_position, y_position, z_distance_from_origin;
    View<double> tendon_length, tendon_velocity;
    View<double> reward_linup, reward_quadctrl, reward_impact;
  };

  static Options<Config> Describe() {
    Options<Config> options = {
        Option<&Config::xml_file>("xml_file", kXmlFileDoc),
        Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
        Option<&Config::uph_cost_weight>("uph_cost_weight", "changes nothing, as in Gymnasium"),
        Option<&Config::ctrl_cost_weight>("ctrl_cost_weight", kControlCostDoc),
        Option<&Config::impact_cost_weight>("impact_cost_weight", kContactCostDoc),
        Option<&Config::impact_cost_range>("impact_cost_range", "bounds of the cost of contacts"),
        Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange),
        Option<&Config::exclude_current_positions_from_observation>(
            "exclude_current_positions_from_observation", "x and y are not observed")};
    if (kVersion == 4) return options;
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
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(HumanoidBody::Size(model, Parts(config)))),
                  Array<&State::reward_linup>("info:reward_linup", AnyNumber()),
                  Array<&State::reward_quadctrl>("info:reward_quadctrl", AnyNumber()),
                  Array<&State::reward_impact>("info:reward_impact", AnyNumber())}};
    if (kVersion == 4) return spec;
    const Space tendons = AnyNumbers(model.ntendon);
    Append(spec.state,
           {Array<&State::x_position>("info:x_position", AnyNumber()),
            Array<&State::y_position>("info:y_position", AnyNumber()),
            Array<&State::z_distance_from_origin>("info:z_distance_from_origin", AnyNumber()),
            Array<&State::tendon_length>("info:tendon_length", tendons),
            Array<&State::tendon_velocity>("info:tendon_velocity", tendons)});
    return spec;
  }

  static unsigned ReadsOf(const Config&) { return HumanoidBody::kReads; }

  HumanoidStandup(const Config& config, Rng& rng)
      : config_(config), robot_(config.model, config.frame_skip, rng, ReadsOf(config)) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) { return robot_.Act(action.control); }
  Outcome Judge(const auto&) {
    const double height = robot_.qpos()[2] / robot_.model().opt.timestep;
    const double control = config_.ctrl_cost_weight * HumanoidBody::Controls(robot_);
    const auto [low, high] = config_.impact_cost_range;
    const double impact =
        Clip(config_.impact_cost_weight * HumanoidBody::Forces(robot_), low, high);
    shown_ = {.height = height, .control = -control, .impact = -impact};
    return {.reward = height - control - impact + 1};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    HumanoidBody::Write(robot_, Parts(config_), state.obs);
    const mjData& data = robot_.data();
    WriteIfPresent(state.x_position, data.qpos[0]);
    WriteIfPresent(state.y_position, data.qpos[1]);
    WriteIfPresent(state.z_distance_from_origin, robot_.Moved(2));
    Row(state.tendon_length).Add(data.ten_length, state.tendon_length.size);
    Row(state.tendon_velocity).Add(data.ten_velocity, state.tendon_velocity.size);
    *state.reward_linup = shown_.height;
    *state.reward_quadctrl = shown_.control;
    *state.reward_impact = shown_.impact;
  }

 private:
  static constexpr char kModel[] = "humanoidstandup.xml";

  static HumanoidParts Parts(const Config& config) {
    return {.positions = !config.exclude_current_positions_from_observation,
            .inertia = config.include_cinert_in_observation,
            .speeds = config.include_cvel_in_observation,
            .actuators = config.include_qfrc_actuator_in_observation,
            .forces = config.include_cfrc_ext_in_observation,
            .all = kVersion == 4};
  }

  const Config config_;
  Robot robot_;
  struct { double height, control, impact; } shown_ = {};  // rewards of the last step
};

}  // namespace parallel_pool::mujoco::gym
