// Run forwards on four legs: Gymnasium 1.4's Ant-v5 and -v4, gym's -v3.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
class Ant {
 public:
  static constexpr PictureStyle kStyle = {.distance = 4};

  struct Config {
    std::string xml_file = kModel;
    int frame_skip = 5;
    double forward_reward_weight = 1.0, ctrl_cost_weight = 0.5, contact_cost_weight = 5e-4;
    double healthy_reward = 1.0;
    IntOrString main_body = 1;
    bool terminate_when_unhealthy = true;
    Numbers<2> healthy_z_range = {0.2, 1.0}, contact_force_range = {-1.0, 1.0};
    double reset_noise_scale = 0.1;
    bool exclude_current_positions_from_observation = true;
    bool include_cfrc_ext_in_observation = kVersion != 4;
    Model model = nullptr;  // the model of xml_file
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;  // qpos, without x and y, qvel and the forces on bodies
    View<double> x_position, y_position, distance_from_origin, x_velocity, y_velocity;
    View<double> reward_forward, reward_ctrl, reward_contact, reward_survive;
    View<double> forward_reward;  // v4 and v3 only: a copy of reward_forward
  };

  static Options<Config> Describe() {
    return {
        Option<&Config::xml_file>("xml_file", kXmlFileDoc),
        Option<&Config::frame_skip>("frame_skip", kFrameSkipDoc, {.min = 1}),
        Option<&Config::forward_reward_weight>("forward_reward_weight", kForwardDoc),
        Option<&Config::ctrl_cost_weight>("ctrl_cost_weight", kControlCostDoc),
        Option<&Config::contact_cost_weight>("contact_cost_weight", kContactCostDoc),
        Option<&Config::healthy_reward>("healthy_reward", kHealthyDoc),
        Option<&Config::main_body>("main_body", "number or name of the body whose speed counts"),
        Option<&Config::terminate_when_unhealthy>("terminate_when_unhealthy", kTerminateDoc),
        Option<&Config::healthy_z_range>("healthy_z_range", kHealthyZDoc),
        Option<&Config::contact_force_range>("contact_force_range",
                                             "bounds of the forces on bodies, in N and N m"),
        Option<&Config::reset_noise_scale>("reset_noise_scale", kNoiseDoc, kNoiseRange),
        Option<&Config::exclude_current_positions_from_observation>(
            "exclude_current_positions_from_observation", "x and y are not observed"),
        Option<&Config::include_cfrc_ext_in_observation>(
            kVersion == 5 ? "include_cfrc_ext_in_observation" : "use_contact_forces",
            kVersion == 5 ? "forces on bodies are observed"
                          : "forces on bodies are observed, and cost")};
  }
  static void Complete(Config& config) {
    CheckRanges(config, Describe());
    config.model = LoadRobot(config.xml_file, kModel, kOneTree, {.positions = 3});
    FindBody("main_body", *config.model, config.main_body);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    const int bodies = model.nbody - kFirstBody;
    const int forces = config.include_cfrc_ext_in_observation ? kForces * bodies : 0;
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ControlSpace(model))},
        .state = {
            Array<&State::obs>("obs", AnyNumbers(model.nq + model.nv - Skipped(config) + forces)),
            Array<&State::x_position>("info:x_position", AnyNumber()),
            Array<&State::y_position>("info:y_position", AnyNumber()),
            Array<&State::distance_from_origin>("info:distance_from_origin", AnyNumber()),
            Array<&State::x_velocity>("info:x_velocity", AnyNumber()),
            Array<&State::y_velocity>("info:y_velocity", AnyNumber()),
            Array<&State::reward_forward>("info:reward_forward", AnyNumber()),
            Array<&State::reward_ctrl>("info:reward_ctrl", AnyNumber()),
            Array<&State::reward_survive>("info:reward_survive", AnyNumber())}};
    if (kVersion != 4) {
      Append(spec.state, {Array<&State::reward_contact>("info:reward_contact", AnyNumber())});
    }
    if (kVersion != 5) {
      Append(spec.state, {Array<&State::forward_reward>("info:forward_reward", AnyNumber())});
    }
    return spec;
  }

  static unsigned ReadsOf(const Config& config) {
    return Feels(config) ? kPlaces | kContactForces : kPlaces;
  }

  Ant(const Config& config, Rng& rng)
      : config_(config),
        robot_(config.model, config.frame_skip, rng, ReadsOf(config)),
        main_body_(FindBody("main_body", *config.model, config.main_body)),
        forces_(kForces * config.model->nbody) {}

  void Reset() {
    robot_.DrawPositions(config_.reset_noise_scale);
    robot_.DrawNormalSpeeds(config_.reset_noise_scale);
    robot_.Begin();
    shown_ = {};
  }

  // Begins an episode at rest at this place.
  void BeginAt(double x, double y) {
    double* const qpos = robot_.FirstPositions();
    qpos[0] = x;
    qpos[1] = y;
    robot_.FirstSpeeds();
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    std::copy_n(Place(), 2, before_);
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto& action) {
    const bool healthy = IsHealthy();
    const double control = ControlCost(config_.ctrl_cost_weight, action.control);
    const double contact = Feels(config_) ? ContactCost() : 0;
    shown_ = {.x_velocity = (Place()[0] - before_[0]) / robot_.dt(),
              .y_velocity = (Place()[1] - before_[1]) / robot_.dt(),
              .forward = 0,
              .control = -control,
              .contact = -contact,
              .survive = Survives(healthy) * config_.healthy_reward};
    shown_.forward = shown_.x_velocity * config_.forward_reward_weight;
    return {.reward = shown_.forward + shown_.survive - (control + contact),
            .terminated = !healthy && config_.terminate_when_unhealthy};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    const int skipped = Skipped(config_);
    const mjModel& model = robot_.model();
    Row row(state.obs);
    row.Add(robot_.qpos() + skipped, model.nq - skipped).Add(robot_.qvel(), model.nv);
    if (config_.include_cfrc_ext_in_observation) {
      const auto [low, high] = config_.contact_force_range;
      row.AddClipped(robot_.data().cfrc_ext + kForces * kFirstBody,
                     kForces * (model.nbody - kFirstBody), low, high);
    }
    const double* const place = kVersion == 5 ? robot_.qpos() : Place();
    *state.x_position = place[0];
    *state.y_position = place[1];
    *state.distance_from_origin = Norm(place, 2);
    *state.x_velocity = shown_.x_velocity;
    *state.y_velocity = shown_.y_velocity;
    *state.reward_forward = shown_.forward;
    // v4 has the contact reward in the place of the control reward.
    const bool swapped = kVersion == 4 && config_.include_cfrc_ext_in_observation;
    *state.reward_ctrl = swapped ? shown_.contact : shown_.control;
    WriteIfPresent(state.reward_contact, shown_.contact);
    WriteIfPresent(state.forward_reward, shown_.forward);
    *state.reward_survive = shown_.survive;
  }

 private:
  static constexpr char kModel[] = "ant.xml";
  static constexpr int kFirstBody = kVersion == 5 ? 1 : 0;  // the first observed; 0 is the world
  static constexpr int kForces = 6;  // on a body: three torques, three forces

  // Positions that are not part of an observation.
  static int Skipped(const Config& config) {
    return config.exclude_current_positions_from_observation ? 2 : 0;
  }

  // Whether a step has the healthy reward: before v5, also the step that ends an episode.
  bool Survives(bool healthy) const {
    return healthy || (kVersion != 5 && config_.terminate_when_unhealthy);
  }

  // Whether forces on bodies cost or are observed.
  static bool Feels(const Config& config) {
    return kVersion == 5 || config.include_cfrc_ext_in_observation;
  }

  const double* Place() const { return robot_.data().xpos + 3 * main_body_; }

  bool IsHealthy() const {
    const auto finite = [](double x) { return std::isfinite(x); };
    const double *qpos = robot_.qpos(), *qvel = robot_.qvel();
    const auto [low, high] = config_.healthy_z_range;
    return std::all_of(qpos, qpos + robot_.model().nq, finite) &&
           std::all_of(qvel, qvel + robot_.model().nv, finite) && low <= qpos[2] && qpos[2] <= high;
  }

  double ContactCost() {
    const auto [low, high] = config_.contact_force_range;
    for (size_t i = 0; i < forces_.size(); ++i) {
      forces_[i] = Clip(robot_.data().cfrc_ext[i], low, high);
    }
    return config_.contact_cost_weight * SumOfSquares(forces_.data(), forces_.size());
  }

  const Config config_;
  Robot robot_;
  const int main_body_;
  double before_[2] = {};       // x and y before the step
  std::vector<double> forces_;  // the clipped forces on all bodies
  // Speeds and rewards of the last step.
  struct { double x_velocity, y_velocity, forward, control, contact, survive; } shown_ = {};
};

}  // namespace parallel_pool::mujoco::gym
