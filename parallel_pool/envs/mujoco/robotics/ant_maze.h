// Walk through a maze to a goal: Gymnasium-Robotics 1.4.2's AntMaze-v5, -v4 and -v3.
#pragma once

#include <memory>
#include <string>
#include <tuple>

#include "parallel_pool/envs/mujoco/gym/ant.h"
#include "parallel_pool/envs/mujoco/robotics/maze.h"

namespace parallel_pool::mujoco::robotics {

template <int kVersion>
class AntMaze {
  // v5 has Gymnasium's Ant-v5; v4 and v3 have its Ant-v4.
  using Ant = gym::Ant<kVersion == 5 ? 5 : 4>;

 public:
  static constexpr PictureStyle kStyle = Ant::kStyle;

  struct Config : Ant::Config, MazeConfig {};
  using ResetOptions = MazeResetOptions;
  using Action = typename Ant::Action;
  struct State : Ant::State {
    View<double> achieved_goal, desired_goal;
    View<bool> success;
  };

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : MazeConfig::Describe()) {
      if (kVersion == 3 && option.name == "reset_target") continue;
      options.push_back(option);
    }
    for (const auto& option : Ant::Describe()) {
      if (option.name == "exclude_current_positions_from_observation") continue;
      if (option.name == "reset_noise_scale" || (kVersion != 5 && option.name == "xml_file"))
        continue;
      options.push_back(option);
    }
    return options;
  }
  static void Complete(Config& config) {
    gym::CheckRanges(static_cast<typename Ant::Config&>(config), Ant::Describe());
    config.maze = std::make_shared<Maze>(config.maze_map, 4, .5);
    config.model = LoadTaskModel("gym", config.xml_file, "ant.xml", gym::kOneTree, {.positions = 3},
                                 config.maze->Walls());
    FindBody("main_body", *config.model, config.main_body);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const auto ant = Ant::Describe(static_cast<const typename Ant::Config&>(config));
    EnvSpec<Action, State> spec = {
        .action = ant.action,
        .state = {Array<&State::achieved_goal>("obs:achieved_goal", AnyNumbers(2)),
                  Array<&State::desired_goal>("obs:desired_goal", AnyNumbers(2))}};
    for (ArrayOf<State> array : ant.state) {
      if (array.name == "obs") array.name = "obs:observation";
      spec.state.push_back(std::move(array));
    }
    if (kVersion != 3)
      Append(spec.state, {Array<&State::success>("info:success", Box({}, {0}, {1}))});
    return spec;
  }
  static unsigned ReadsOf(const Config& config) { return Ant::ReadsOf(config); }

  static int GoalSize(const Config&) { return 2; }
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired) {
    return MazeGoal::Judge(config, achieved, desired);
  }

  AntMaze(const Config& config, Rng& rng)
      : ant_(config, rng),
        goal_(config, kVersion == 3 ? MazeRules::kEarly : MazeRules::kPresent, rng) {}

  void Reset(const ResetOptions& options) {
    const Place place = goal_.Begin(options);
    ant_.BeginAt(place.x, place.y);
  }

  Simulation& Act(const Action& action) { return ant_.Act(action); }
  Outcome Judge(const Action& action) {
    ant_.Judge(action);  // for its infos
    return goal_.Judge(simulation().data().qpos);
  }

  const Simulation& simulation() const { return ant_.simulation(); }
  auto Saved() { return std::tuple_cat(ant_.Saved(), std::tie(goal_.state())); }
  void Observe(const State& state) const {
    ant_.Observe(state);
    const mjtNum* const qpos = simulation().data().qpos;
    state.achieved_goal.Assign(qpos[0], qpos[1]);
    state.desired_goal.Assign(goal_.shown()[0], goal_.shown()[1]);
    if (kVersion != 3) *state.success = goal_.success();
  }
  void Mark(mjData& drawn) const { goal_.Mark(simulation().model(), drawn); }

 private:
  Ant ant_;
  MazeGoal goal_;
};

}  // namespace parallel_pool::mujoco::robotics
