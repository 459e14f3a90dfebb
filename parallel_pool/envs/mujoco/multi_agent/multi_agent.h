// Agents who share a robot, and move it together: Gymnasium-Robotics 1.4.2's mamujoco_v1
// (MaMuJoCo). Each has some of the robot's motors, and observes its own parts and those nearby.
// They have the reward of Gymnasium's env in common.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/multi_agent/agents.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco::multi_agent {

// `Robot` is an env of one agent, such as gym::Ant<5>. With kSegments, its model has as many
// segments as agent_conf says.
template <class Robot, bool kSegments = false>
class MultiAgent {
 public:
  static constexpr bool kHasPlayers = true;
  static constexpr PictureStyle kStyle = [] {
    if constexpr (requires { Robot::kStyle; }) return Robot::kStyle;
    return PictureStyle{};
  }();

  struct Config : Robot::Config, AgentsConfig {
    std::string robot;  // such as "Ant"
    std::shared_ptr<const Agents> agents = nullptr;
  };
  struct Action { View<const AnyFloat> controls; };  // of each agent
  // Of the robot as a whole.
  template <class T>
  struct Controls {
    View<const T> control;
  };
  // Robot::State::obs is the state of the robot as a whole.
  struct State : Robot::State { View<double> seen; };  // by each agent

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : AgentsConfig::Describe()) options.push_back(option);
    for (const auto& option : Robot::Describe()) {
      if (kSegments && option.name == "xml_file") continue;  // agent_conf names it
      options.push_back(option);
    }
    return options;
  }
  static void Complete(Config& config) {
    if constexpr (kSegments) {
      const Segments segments = SegmentsOf(config.robot, config.agent_conf);
      config.xml_file = "multi_agent/" + config.robot + std::to_string(segments.all()) + ".xml";
    }
    Robot::Complete(config);
    config.agents = std::make_shared<Agents>(config.robot, config, *config.model);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const Agents& agents = *config.agents;
    const auto own = Robot::Describe(static_cast<const typename Robot::Config&>(config));
    const Space motors = ControlSpace(*config.model);
    const auto controls = [&](int n) { return Box({n}, {motors.low[0]}, {motors.high[0]}); };
    EnvSpec<Action, State> spec = {.action = {}, .state = {}, .players = {}};
    int most = agents.most_numbers();
    for (ArrayOf<State> array : own.state) {
      if (array.name == "obs") {
        array.name = "info:state";
        if (agents.is_one()) most = array.space.shape[0];
      }
      spec.state.push_back(std::move(array));
    }
    const int n = agents.count();
    Append(spec.action,
           {Array<&Action::controls>("action", PerPlayer(n, controls(agents.most_motors())))});
    Append(spec.state, {Array<&State::seen>("obs", PerPlayer(n, AnyNumbers(most)))});
    for (int i = 0; i < n; ++i) {
      const std::string name = "agent_" + std::to_string(i);
      const int numbers = agents.is_one() ? most : static_cast<int>(agents.numbers(i).size());
      spec.players.push_back({name,
                              name,
                              {{"action", controls(static_cast<int>(agents.motors(i).size()))},
                               {"obs", AnyNumbers(numbers)}}});
    }
    return spec;
  }
  static unsigned ReadsOf(const Config& config) {
    unsigned reads = config.agents->reads();
    if constexpr (requires { Robot::ReadsOf(config); }) reads |= Robot::ReadsOf(config);
    return reads;
  }

  MultiAgent(const Config& config, Rng& rng)
      : agents_(config.agents),
        reads_(config.agents->reads()),
        robot_(config, rng),
        controls_(config.model->nu),
        narrow_controls_(config.model->nu) {}

  void Reset() { robot_.Reset(); }

  Simulation& Act(const Action& action) {
    const int most = agents_->most_motors();
    action.controls.Visit([&](auto numbers) {
      for (int i = 0; i < agents_->count(); ++i) {
        const auto* own = numbers.begin() + i * most;
        for (const int motor : agents_->motors(i)) controls_[motor] = *own++;
      }
    });
    Simulation& world = robot_.Act(Controls<double>{{controls_.data(), controls_.size()}});
    world.AlsoRead(reads_);
    return world;
  }
  // One agent's action has the type that was sent, as in Gymnasium; that of several is put together
  // in float64.
  Outcome Judge(const Action& action) {
    if (agents_->is_one() && !action.controls.is_double()) {
      std::ranges::copy(controls_, narrow_controls_.begin());
      return robot_.Judge(Controls<float>{{narrow_controls_.data(), narrow_controls_.size()}});
    }
    return robot_.Judge(Controls<double>{{controls_.data(), controls_.size()}});
  }

  const Simulation& simulation() const { return robot_.simulation(); }
  auto Saved() { return robot_.Saved(); }
  void Observe(const State& state) const {
    robot_.Observe(state);
    if (agents_->is_one()) {
      std::ranges::copy(state.obs, state.seen.begin());
      return;
    }
    const mjData& data = simulation().data();
    const size_t width = state.seen.size / agents_->count();
    for (int i = 0; i < agents_->count(); ++i) {
      double* out = state.seen.begin() + i * width;
      double* const end = out + width;
      for (const Number& number : agents_->numbers(i)) *out++ = ValueOf(number, data);
      std::fill(out, end, 0.0);
    }
  }

 private:
  const std::shared_ptr<const Agents> agents_;
  const unsigned reads_;  // those of the agents
  Robot robot_;
  std::vector<double> controls_;        // of the last step, in the order of the motors
  std::vector<float> narrow_controls_;  // the same
};

}  // namespace parallel_pool::mujoco::multi_agent
