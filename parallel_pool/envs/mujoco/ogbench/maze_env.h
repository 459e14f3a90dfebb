// A walker reaches a goal in a maze, or brings a ball there: OGBench 1.2.2's mazes (Park et al.
// 2025).
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/envs/mujoco/ogbench/goal_task.h"
#include "parallel_pool/envs/mujoco/ogbench/maze.h"
#include "parallel_pool/envs/mujoco/ogbench/walkers.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco::ogbench {

inline constexpr Numbers<2> kNoCell = {-1, -1};

template <class Walker>
class MazeEnv {
 public:
  struct Config : GoalConfig {
    static constexpr int frame_skip = kSubSteps;
    const MazeMap* map = nullptr;
    double maze_unit = 4, maze_height = .5, reset_noise_scale = .1;
    bool add_noise_to_goal = true;
    std::shared_ptr<const Maze> maze = nullptr;
    Model model = nullptr;
  };
  struct ResetOptions {
    int task_id = 0;
    Numbers<2> init_ij = kNoCell, goal_ij = kNoCell, ball_init_ij = kNoCell;

    static Options<ResetOptions> Describe() {
      Options<ResetOptions> options = {
          Option<&ResetOptions::task_id>("task_id", kTaskIdDoc, {.min = 0, .max = kNumTasks}),
          Option<&ResetOptions::init_ij>(Walker::kHasBall ? "agent_init_ij" : "init_ij",
                                         "(row, column) to begin in; (-1, -1): the task's"),
          Option<&ResetOptions::goal_ij>("goal_ij",
                                         "(row, column) of the goal; (-1, -1): the task's")};
      if (Walker::kHasBall) {
        options.push_back(Option<&ResetOptions::ball_init_ij>(
            "ball_init_ij", "(row, column) of the ball; (-1, -1): the task's"));
      }
      return options;
    }
    void Check() const {
      const bool has_ball = !Walker::kHasBall || (ball_init_ij == kNoCell) == (goal_ij == kNoCell);
      if ((init_ij == kNoCell) != (goal_ij == kNoCell) || !has_ball) {
        throw std::invalid_argument("the cells of a task go together: give all of them, or none");
      }
    }
  };
  struct Action { View<const AnyFloat> control; };
  struct State {
    View<double> obs;
    View<double> xy, prev_qpos, prev_qvel, qpos, qvel;  // of this step, before a teleport
    View<double> goal;                                  // an observation at the goal, or its place
    View<double> success;
  };

  static Options<Config> Describe() {
    Options<Config> options = {
        Option<&Config::maze_unit>("maze_unit", "side of a cell, in m", {.min = .1, .max = 1000}),
        Option<&Config::maze_height>("maze_height", "height of walls, in sides of a cell",
                                     {.min = .01, .max = 100}),
        Option<&Config::add_noise_to_goal>("add_noise_to_goal",
                                           "a goal is somewhere in its cell, not in the middle")};
    for (const auto& option : GoalConfig::Describe()) options.push_back(option);
    if (Walker::kModel == std::string("ant.xml")) {
      options.push_back(Option<&Config::reset_noise_scale>(
          "reset_noise_scale", "scale of the noise of the first state", {.min = 0, .max = 1e300}));
    }
    return options;
  }
  static void Complete(Config& config) {
    config.maze = std::make_shared<Maze>(*config.map, config.maze_unit, config.maze_height);
    config.model = LoadOwnModel("ogbench", Walker::kModel, Walker::kFlags,
                                config.maze->Build(Walker::kHasBall));
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const mjModel& model = *config.model;
    const int numbers = Walker::NumbersOf(model), nu = static_cast<int>(model.nu);
    const int nq = static_cast<int>(model.nq), nv = static_cast<int>(model.nv);
    return {
        .action = {Array<&Action::control>("action", Box({nu}, {-1}, {1}))},
        .state = {Array<&State::obs>("obs", AnyNumbers(numbers)),
                  Array<&State::xy>("info:xy", AnyNumbers(2)),
                  Array<&State::prev_qpos>("info:prev_qpos", AnyNumbers(nq)),
                  Array<&State::prev_qvel>("info:prev_qvel", AnyNumbers(nv)),
                  Array<&State::qpos>("info:qpos", AnyNumbers(nq)),
                  Array<&State::qvel>("info:qvel", AnyNumbers(nv)),
                  Array<&State::goal>("info:goal", AnyNumbers(config.use_oracle_rep ? 2 : numbers)),
                  Array<&State::success>("info:success", Box({}, {0}, {1}))}};
  }
  // From above, on all of the maze.
  static PictureStyle StyleOf(const Config& config) {
    const double columns = config.maze->columns(), rows = config.maze->rows();
    return {.distance = 5 * (columns - 2),
            .elevation = -90,
            .is_fixed = true,
            .place = {2 * (columns - 3), 2 * (rows - 3), 0},
            .width = 200,
            .height = 200};
  }
  static unsigned ReadsOf(const Config&) { return Walker::kReads; }

  MazeEnv(const Config& config, Rng& rng)
      : config_(config),
        walker_(config.model, rng),
        rng_(rng),
        goal_(config.use_oracle_rep ? 2 : Walker::NumbersOf(*config.model)),
        before_(SizeOf(*config.model)),
        shown_(before_.size()) {}

  void Seed(uint64_t seed) {
    seed_ = seed;
    streams_.Seed(seed);
    is_seeded_ = true;
  }

  void Reset(const ResetOptions& options) {
    const MazeTask task = TaskOf(options);
    const Place start = Noisy(task.start);
    const Place ball = Walker::kHasBall ? Noisy(task.ball) : Place{};
    place_ = config_.add_noise_to_goal ? Noisy(task.goal) : config_.maze->CenterOf(task.goal);
    Draw();
    ObserveGoal();
    Draw();  // with a seed, the same state again
    is_seeded_ = false;
    Move(start, ball);
    Show();
    before_ = shown_;
    succeeded_ = false;
  }

  Simulation& Act(const Action& action) {
    if (config_.IsEarly()) succeeded_ = IsAtGoal();
    CopyState(before_);
    return walker_.Act(action.control);
  }
  Outcome Judge(const Action&) {
    Show();
    if (!config_.IsEarly()) succeeded_ = IsAtGoal();
    Teleport();
    return {.reward = static_cast<double>(succeeded_) - config_.HasOneTask(),
            .terminated = succeeded_ && config_.terminate_at_goal};
  }

  const Simulation& simulation() const { return walker_.simulation(); }
  auto Saved() {
    return std::tuple_cat(walker_.Saved(), std::tie(streams_, seed_, is_seeded_, place_, goal_,
                                                    before_, shown_, obs_, succeeded_));
  }
  void Observe(const State& state) const {
    const mjModel& model = *config_.model;
    const int nq = static_cast<int>(model.nq), nv = static_cast<int>(model.nv);
    std::ranges::copy(obs_, state.obs.begin());
    Row(state.xy).Add(shown_.data(), 2);
    Row(state.prev_qpos).Add(before_.data(), nq);
    Row(state.prev_qvel).Add(before_.data() + nq, nv);
    Row(state.qpos).Add(shown_.data(), nq);
    Row(state.qvel).Add(shown_.data() + nq, nv);
    std::ranges::copy(goal_, state.goal.begin());
    *state.success = succeeded_;
  }
  // Puts the disc of the goal where it is.
  void Mark(mjData& drawn) const {
    mjtNum* const target =
        drawn.geom_xpos + 3 * mj_name2id(config_.model.get(), mjOBJ_GEOM, "target");
    target[0] = place_.x;
    target[1] = place_.y;
  }

 private:
  static constexpr double kTeleportRadius = 1.5;  // m

  static const std::vector<MazeTask>& TasksOf(const Config& config) {
    return Walker::kHasBall ? config.map->ball_tasks : config.map->tasks;
  }
  static size_t SizeOf(const mjModel& model) { return model.nq + model.nv; }

  MazeTask TaskOf(const ResetOptions& options) {
    const Maze& maze = *config_.maze;
    if (!config_.HasOneTask() && options.task_id == 0 && options.goal_ij != kNoCell) {
      MazeTask task = {maze.CellOf("init_ij", options.init_ij),
                       maze.CellOf("goal_ij", options.goal_ij)};
      if (Walker::kHasBall) task.ball = maze.CellOf("ball_init_ij", options.ball_init_ij);
      return task;
    }
    return streams_.Choose(TasksOf(config_), config_, Walker::kHasBall ? 4 : 1, options.task_id);
  }
  Place Noisy(Cell cell) {
    Place place = config_.maze->CenterOf(cell);
    for (double* const number : {&place.x, &place.y}) {
      *number += streams_.world.Uniform(-1, 1) * config_.maze->unit() / 4;
    }
    return place;
  }

  void Draw() {
    if (is_seeded_) rng_ = Rng(seed_);
    walker_.Draw(config_.reset_noise_scale);
  }
  // The walker's observation at the goal, after some steps at random.
  void ObserveGoal() {
    std::array<float, 64> action;
    for (int step = 0; step < Walker::kSettlingSteps; ++step) {
      streams_.Sample(action.data(), static_cast<int>(config_.model->nu));
      walker_.Settle(action.data());
    }
    Move(place_, place_);
    if (config_.use_oracle_rep) {
      goal_ = {place_.x, place_.y};
      return;
    }
    Show();
    goal_ = obs_;
  }
  void Move(Place place, Place ball) {
    mjtNum* const qpos = walker_.data().qpos;
    qpos[0] = place.x;
    qpos[1] = place.y;
    if (Walker::kHasBall) std::copy_n(&ball.x, 2, Ball());
    walker_.Forward();
  }
  mjtNum* Ball() { return walker_.data().qpos + config_.model->nq - 7; }

  bool IsAtGoal() {
    const mjtNum* const at = Walker::kHasBall ? Ball() : walker_.data().qpos;
    return IsNear(at, place_, Walker::kNear);
  }
  static bool IsNear(const mjtNum* at, Place place, double distance) {
    const double way[] = {at[0] - place.x, at[1] - place.y};
    return Norm(way, 2) <= distance;
  }
  void Teleport() {
    for (const Cell& cell : config_.map->teleports_in) {
      if (!IsNear(walker_.data().qpos, config_.maze->CenterOf(cell), kTeleportRadius)) continue;
      const std::vector<Cell>& out = config_.map->teleports_out;
      return Move(config_.maze->CenterOf(out[streams_.world.Integer(out.size())]), {});
    }
  }

  void CopyState(std::vector<double>& state) {
    const mjData& data = walker_.data();
    const int64_t nq = config_.model->nq;
    std::copy_n(data.qpos, nq, state.begin());
    std::copy_n(data.qvel, config_.model->nv, state.begin() + nq);
  }
  void Show() {
    CopyState(shown_);
    obs_.resize(Walker::NumbersOf(*config_.model));
    Row row(View<double>{obs_.data(), obs_.size()});
    walker_.Observe(row, shown_.data(), shown_.data() + config_.model->nq);
  }

  const Config config_;
  Walker walker_;
  Rng& rng_;
  Streams streams_;
  uint64_t seed_ = 0;
  bool is_seeded_ = false;  // since the last reset
  Place place_ = {};        // of the goal
  std::vector<double> goal_;
  std::vector<double> before_, shown_;  // qpos and qvel before and after the last step
  std::vector<double> obs_;
  bool succeeded_ = false;
};

}  // namespace parallel_pool::mujoco::ogbench
