// Walk forwards like a human: Gymnasium 1.4's Humanoid-v5 and -v4, gym's -v3.
#pragma once

#include <string>

#include "parallel_pool/envs/mujoco/gym/humanoid_body.h"
#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class Humanoid : public HumanoidBody<kVersion != 5> {
  using Body = HumanoidBody<kVersion != 5>;
  using Body::robot_;

 public:
  using typename Body::Action;
  static constexpr PictureStyle kStyle = AboveOrigin(2, 4);

  struct Config : HumanoidConfig {
    double forward_reward_weight = 1.25, contact_cost_weight = 5e-7;
    Numbers<2> contact_cost_range = {-kInf, 10.0};
    double healthy_reward = 5.0;
    bool terminate_when_unhealthy = true;
    Numbers<2> healthy_z_range = {1.0, 2.0};

    Config() : HumanoidConfig{.xml_file = kModel} {}
  };
  struct State {
    View<double> obs;
    View<double> x_position, y_position, distance_from_origin, x_velocity, y_velocity;
    View<double> tendon_length, tendon_velocity;
    View<double> reward_survive, reward_forward, reward_ctrl, reward_contact;
    View<double> forward_reward;  // v4 and v3 only: a copy of reward_forward
  };

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : HumanoidConfig::Describe()) options.push_back(option);
    Append(options,
           {Option<&Config::forward_reward_weight>("forward_reward_weight", kForwardDoc),
            Option<&Config::healthy_reward>("healthy_reward", kHealthyDoc),
            Option<&Config::terminate_when_unhealthy>("terminate_when_unhealthy", kTerminateDoc),
            Option<&Config::healthy_z_range>("healthy_z_range", kHealthyZDoc)});
    if (kVersion == 4) return options;
    Append(options, {Option<&Config::contact_cost_weight>("contact_cost_weight", kContactCostDoc),
                     Option<&Config::contact_cost_range>("contact_cost_range",
                                                         "bounds of the cost of contacts")});
    if (kVersion == 3) return options;
    for (const auto& option : HumanoidConfig::DescribeParts()) options.push_back(option);
    return options;
  }
  static void Complete(Config& config) {
    CheckRanges(config, Describe());
    config.Load(kModel);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    constexpr bool old = kVersion != 5;
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(model))},
        .state = {Array<&State::obs>("obs", AnyNumbers(Body::Size(config))),
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

  static unsigned ReadsOf(const Config&) { return Body::kReads | kPlaces; }

  Humanoid(const Config& config, Rng& rng) : Body(config, rng, ReadsOf(config)), config_(config) {}

  void Reset() {
    Body::Begin(config_.reset_noise_scale);
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    for (int i = 0; i < 2; ++i) before_[i] = CenterOfMass(i);
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto&) {
    const bool healthy = Within(config_.healthy_z_range, robot_.qpos()[2]);
    const double control = config_.ctrl_cost_weight * Body::Controls();
    const auto [low, high] = config_.contact_cost_range;
    const double forces = config_.contact_cost_weight * Body::Forces();
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

  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    Body::Write(config_, state.obs);
    const mjData& data = robot_.data();
    double place[2] = {data.qpos[0], data.qpos[1]};
    if (kVersion != 5) place[0] = CenterOfMass(0), place[1] = CenterOfMass(1);
    *state.x_position = place[0];
    *state.y_position = place[1];
    *state.distance_from_origin = Norm(place, 2);
    *state.x_velocity = shown_.x_velocity;
    *state.y_velocity = shown_.y_velocity;
    Body::WriteTendons(state.tendon_length, state.tendon_velocity);
    *state.reward_survive = shown_.survive;
    *state.reward_forward = shown_.forward;
    *state.reward_ctrl = shown_.control;
    WriteIfPresent(state.reward_contact, shown_.contact);
    WriteIfPresent(state.forward_reward, shown_.forward);
  }

 private:
  static constexpr char kModel[] = "humanoid.xml";

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
  double before_[2] = {};  // x and y of the center of mass before the step
  // Speeds and rewards of the last step.
  struct { double x_velocity, y_velocity, survive, forward, control, contact; } shown_ = {};
};

}  // namespace parallel_pool::mujoco::gym
