// Stand up like a human: Gymnasium 1.4's HumanoidStandup-v5 and -v4.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/gym/humanoid_body.h"
#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class HumanoidStandup : public HumanoidBody<kVersion == 4> {
  using Body = HumanoidBody<kVersion == 4>;
  using Body::robot_;

 public:
  using typename Body::Action;
  static constexpr PictureStyle kStyle = AboveOrigin(0.8925, 4);

  struct Config : HumanoidConfig {
    double uph_cost_weight = 1.0, impact_cost_weight = 0.5e-6;
    Numbers<2> impact_cost_range = {-kInf, 10.0};

    Config() : HumanoidConfig{.xml_file = kModel} {}
  };
  struct State {
    View<double> obs;
    View<double> x_position, y_position, z_distance_from_origin;
    View<double> tendon_length, tendon_velocity;
    View<double> reward_linup, reward_quadctrl, reward_impact;
  };

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : HumanoidConfig::Describe()) options.push_back(option);
    Append(options,
           {Option<&Config::uph_cost_weight>("uph_cost_weight", "changes nothing, as in Gymnasium"),
            Option<&Config::impact_cost_weight>("impact_cost_weight", kContactCostDoc),
            Option<&Config::impact_cost_range>("impact_cost_range",
                                               "bounds of the cost of contacts")});
    if (kVersion == 4) return options;
    for (const auto& option : HumanoidConfig::DescribeParts()) options.push_back(option);
    return options;
  }
  static void Complete(Config& config) {
    CheckRanges(config, Describe());
    config.Load(kModel);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(Body::Size(config))),
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

  static unsigned ReadsOf(const Config&) { return Body::kReads; }

  HumanoidStandup(const Config& config, Rng& rng)
      : Body(config, rng, ReadsOf(config)), config_(config) {}

  void Reset() {
    Body::Begin(config_.reset_noise_scale);
    shown_ = {};
  }

  Simulation& Act(const auto& action) { return robot_.Act(action.control); }
  Outcome Judge(const auto&) {
    const double height = robot_.qpos()[2] / robot_.model().opt.timestep;
    const double control = config_.ctrl_cost_weight * Body::Controls();
    const auto [low, high] = config_.impact_cost_range;
    const double impact = Clip(config_.impact_cost_weight * Body::Forces(), low, high);
    shown_ = {.height = height, .control = -control, .impact = -impact};
    return {.reward = height - control - impact + 1};
  }

  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    Body::Write(config_, state.obs);
    const mjData& data = robot_.data();
    WriteIfPresent(state.x_position, data.qpos[0]);
    WriteIfPresent(state.y_position, data.qpos[1]);
    WriteIfPresent(state.z_distance_from_origin, robot_.Moved(2));
    Body::WriteTendons(state.tendon_length, state.tendon_velocity);
    *state.reward_linup = shown_.height;
    *state.reward_quadctrl = shown_.control;
    *state.reward_impact = shown_.impact;
  }

 private:
  static constexpr char kModel[] = "humanoidstandup.xml";

  const Config config_;
  struct { double height, control, impact; } shown_ = {};  // rewards of the last step
};

}  // namespace parallel_pool::mujoco::gym
