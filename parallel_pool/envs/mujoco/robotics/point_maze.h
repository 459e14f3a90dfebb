// Push a ball through a maze to a goal: Gymnasium-Robotics 1.4.2's PointMaze-v3.
#pragma once

#include <memory>
#include <tuple>

#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"
#include "parallel_pool/envs/mujoco/robotics/maze.h"

namespace parallel_pool::mujoco::robotics {

class PointMaze {
 public:
  struct Config : MazeConfig {
    static constexpr int frame_skip = 1;
    Model model = nullptr;
  };
  using ResetOptions = MazeResetOptions;
  struct Action { View<const AnyFloat> force; };
  struct State : GoalState { View<bool> success; };

  static Options<Config> Describe() {
    const auto options = MazeConfig::Describe();
    return {options.begin(), options.end()};
  }
  static void Complete(Config& config) {
    config.maze = std::make_shared<Maze>(config.maze_map, 1, .4);
    config.model = LoadOwnModel("robotics", "point/point.xml", mjDSBL_ISLAND, config.maze->Walls());
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    auto state = GoalArrays<State>(4, 2);
    state.push_back(Array<&State::success>("info:success", Box({}, {0}, {1})));
    return {.action = {Array<&Action::force>("action", ControlSpace(*config.model))},
            .state = std::move(state)};
  }
  static PictureStyle StyleOf(const Config& config) {
    return {.distance = config.maze->rows() > 8 ? 12.5 : 8.8};
  }
  static unsigned ReadsOf(const Config&) { return kNothing; }

  static int GoalSize(const Config&) { return 2; }
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired) {
    return MazeGoal::Judge(config, achieved, desired);
  }

  PointMaze(const Config& config, Rng& rng)
      : ball_(config.model, ReadsOf(config)), goal_(config, MazeRules::kPresent, rng) {}

  void Reset(const ResetOptions& options) {
    const Place place = goal_.Begin(options);
    const double at_rest[] = {0, 0};
    ball_.Begin(&place.x, at_rest);
  }

  // The reference sets the limited speed by mj_forward, which has no effect on the step.
  Simulation& Act(const Action& action) {
    mjtNum* const qvel = ball_.data().qvel;
    for (int i = 0; i < 2; ++i) qvel[i] = Clip(qvel[i], -kMaxSpeed, kMaxSpeed);
    ball_.Hold(action.force, Config::frame_skip);
    return ball_;
  }
  Outcome Judge(const Action&) { return goal_.Judge(ball_.data().qpos); }

  const Simulation& simulation() const { return ball_; }
  auto Saved() { return std::tie(ball_, goal_.state()); }
  void Observe(const State& state) const {
    const mjData& data = ball_.data();
    state.observation.Assign(data.qpos[0], data.qpos[1], data.qvel[0], data.qvel[1]);
    state.achieved_goal.Assign(data.qpos[0], data.qpos[1]);
    state.desired_goal.Assign(goal_.shown()[0], goal_.shown()[1]);
    *state.success = goal_.success();
  }
  void Mark(mjData& drawn) const { goal_.Mark(ball_.model(), drawn); }

 private:
  static constexpr double kMaxSpeed = 5;  // m/s, along each axis

  Simulation ball_;
  MazeGoal goal_;
};

}  // namespace parallel_pool::mujoco::robotics
