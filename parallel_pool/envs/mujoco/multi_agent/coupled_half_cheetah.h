// Two cheetahs that run side by side, tied to each other: Gymnasium-Robotics' CoupledHalfCheetah.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <type_traits>

#include "parallel_pool/envs/mujoco/gym/robot.h"

namespace parallel_pool::mujoco::multi_agent {

class CoupledHalfCheetah {
 public:
  static constexpr PictureStyle kStyle = {.distance = 4};

  struct Config {
    static constexpr int frame_skip = 5;
    Model model = nullptr;
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    // Positions of both, without x; speeds of both; the tendon: four numbers of its Jacobian, its
    // length and its speed.
    View<double> obs;
    View<double> x_position1, x_position2, x_velocity1, x_velocity2;
    View<double> reward_run, reward_ctrl1, reward_ctrl2;
  };

  static Options<Config> Describe() { return {}; }
  static void Complete(Config& config) {
    config.model = LoadOwnModel("gym", "multi_agent/coupled_half_cheetah.xml");
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::control>("action", ControlSpace(*config.model))},
            .state = {Array<&State::obs>("obs", AnyNumbers(2 * kSeen + 2 * kJoints + 6)),
                      Array<&State::x_position1>("info:x_position1", AnyNumber()),
                      Array<&State::x_position2>("info:x_position2", AnyNumber()),
                      Array<&State::x_velocity1>("info:x_velocity1", AnyNumber()),
                      Array<&State::x_velocity2>("info:x_velocity2", AnyNumber()),
                      Array<&State::reward_run>("info:reward_run", AnyNumber()),
                      Array<&State::reward_ctrl1>("info:reward_ctrl1", AnyNumber()),
                      Array<&State::reward_ctrl2>("info:reward_ctrl2", AnyNumber())}};
  }
  static unsigned ReadsOf(const Config&) { return kTendons; }

  CoupledHalfCheetah(const Config& config, Rng& rng)
      : robot_(config.model, Config::frame_skip, rng, kTendons) {}

  void Reset() {
    robot_.DrawPositions(kNoise);
    robot_.DrawNormalSpeeds(kNoise);
    robot_.Begin();
    shown_ = {};
  }

  Simulation& Act(const auto& action) {
    for (int i = 0; i < 2; ++i) before_[i] = x(i);
    return robot_.Act(action.control);
  }
  Outcome Judge(const auto& action) {
    using T = std::remove_cvref_t<decltype(action.control[0])>;
    const auto cost = [&](int i) -> T {  // in the action's type, as their mean
      const size_t n = action.control.size / 2;
      const View half(action.control.begin() + i * n, n);
      return static_cast<T>(gym::ControlCost(kControlCost, half));
    };
    for (int i = 0; i < 2; ++i) {
      shown_.speed[i] = (x(i) - before_[i]) / robot_.dt();
      shown_.control[i] = cost(i);
    }
    shown_.run = (shown_.speed[0] + shown_.speed[1]) / 2;
    return {.reward = shown_.run - (cost(0) + cost(1)) / 2};
  }

  const Simulation& simulation() const { return robot_; }
  auto Saved() { return std::tie(robot_, shown_); }
  void Observe(const State& state) const {
    const mjData& data = robot_.data();
    Row row(state.obs);
    for (int i = 0; i < 2; ++i) row.Add(data.qpos + kJoints * i + 1, kSeen);
    row.Add(data.qvel, 2 * kJoints);
    for (const int column : {0, 1, kJoints, kJoints + 1}) row.Add(data.ten_J + Place(column), 1);
    row.Add(data.ten_length, 1).Add(data.ten_velocity, 1);
    state.x_position1.Assign(x(0));
    state.x_position2.Assign(x(1));
    state.x_velocity1.Assign(shown_.speed[0]);
    state.x_velocity2.Assign(shown_.speed[1]);
    state.reward_run.Assign(shown_.run);
    state.reward_ctrl1.Assign(shown_.control[0]);
    state.reward_ctrl2.Assign(shown_.control[1]);
  }

 private:
  static constexpr int kJoints = 9, kSeen = 8;  // of a cheetah: positions, and those observed
  static constexpr double kNoise = .1, kControlCost = .1;

  double x(int cheetah) const { return robot_.qpos()[kJoints * cheetah]; }
  // The place of a column of the tendon's row in the sparse matrix ten_J.
  int Place(int column) const {
    const int* const columns = robot_.model().ten_J_colind;
    return static_cast<int>(std::find(columns, columns + robot_.model().ten_J_rownnz[0], column) -
                            columns);
  }

  gym::Robot robot_;
  double before_[2] = {};                                    // x before the step
  struct { double speed[2], control[2], run; } shown_ = {};  // of the last step
};

}  // namespace parallel_pool::mujoco::multi_agent
