#include "parallel_pool/envs/mujoco/robotics/kitchen.h"

#include <algorithm>
#include <bit>
#include <sstream>
#include <stdexcept>

#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/robotics/goals.h"
#include "parallel_pool/envs/mujoco/robotics/tasks.h"

namespace parallel_pool::mujoco::robotics {
namespace {

constexpr double kReached = .3;     // of a subtask's goal
constexpr double kMaxAction = 2;    // the speed of an action of 1, rad/s or m/s
constexpr double kSpeedLimit = 10;  // of the robot's joints, rad/s or m/s

struct Subtask {
  const char* name;
  int first, size;  // elements of qpos
  double goal[7];
};

// Sorted by name, as in a Dict of Gymnasium.
constexpr Subtask kAll[] = {
    {"bottom burner", 11, 2, {-.88, -.01}},
    {"hinge cabinet", 20, 2, {0, 1.45}},
    {"kettle", 23, 7, {-.23, .75, 1.62, .99, 0, 0, -.06}},
    {"light switch", 17, 2, {-.69, -.05}},
    {"microwave", 22, 1, {-.75}},
    {"slide cabinet", 19, 1, {.37}},
    {"top burner", 15, 2, {-.92, -.01}},
};

constexpr double kFirstPositions[] = {
    0.148388023,     -1.76848573,    1.84390296,      -2.4768576,      0.260252026,
    0.712533105,     1.59515394,     0.0479267505,    0.0371350919,    -0.00026627985,
    -5.18043486e-05, 3.1287722e-05,  -4.51199853e-05, -3.90842156e-06, -4.22629655e-05,
    6.28065475e-05,  4.04984708e-05, 0.000462730939,  -0.000226906415, -0.000465501369,
    -0.00644129196,  -0.00177048263, 0.00108009684,   -0.26939744,     0.350383255,
    1.61944683,      1.00618764,     0.0040639512,    -0.00662095997,  -0.000268278933};

// Bounds of the robot's joints, rad; of its fingers, m.
constexpr double kLow[] = {-2.9, -1.8, -2.9, -3.1, -2.9, 0, -2.9, 0, 0};
constexpr double kHigh[] = {2.9, 1.8, 2.9, 0, 2.9, 3.8, 2.9, .04, .04};

// The noise of each position and speed of the model, of which options scale the robot's and the
// objects'.
constexpr double kPositionNoise[] = {
    .1,    .1,    .1,   .1,   .1,   .1, .1, .1, .1,   .005, .005, .0005, .0005, .0005, .0005,
    .0005, .0005, .005, .005, .005, .1, .1, .1, .005, .005, .005, .1,    .1,    .1};
constexpr double kSpeedNoise[] = {.1,   .1,   .1,   .1,   .1,   .1,   .1,   .1,   .1,   .005,
                                  .005, .005, .005, .005, .005, .005, .005, .005, .005, .005,
                                  .1,   .1,   .1,   .005, .005, .005, .1,   .1,   .1};

// `array`, which is that of subtask 0, as that of subtask k.
ArrayOf<Kitchen::State> Of(int k, ArrayOf<Kitchen::State> array) {
  array.member_offset += k * sizeof(View<double>);
  return array;
}

// Writes a flag for each subtask.
void WriteBits(uint32_t bits, View<bool> flags) {
  for (int k = 0; k < Kitchen::kSubtasks; ++k) flags[k] = (bits >> k & 1) != 0;
}

}  // namespace

Options<Kitchen::Config> Kitchen::Describe() {
  return {Option<&Config::tasks_to_complete>("tasks_to_complete", "names of the subtasks"),
          Option<&Config::terminate_on_tasks_completed>(
              "terminate_on_tasks_completed", "an episode ends when all subtasks are completed"),
          Option<&Config::remove_task_when_completed>("remove_task_when_completed",
                                                      "a completed subtask has no more rewards"),
          Option<&Config::robot_noise_ratio>("robot_noise_ratio",
                                             "scale of the noise in the robot's joints"),
          Option<&Config::object_noise_ratio>("object_noise_ratio",
                                              "scale of the noise in the objects' joints")};
}

void Kitchen::Complete(Config& config) {
  config.chosen = 0;
  std::istringstream names(config.tasks_to_complete.text);
  for (std::string name; std::getline(names, name);) {
    const auto* const found =
        std::ranges::find_if(kAll, [&](const Subtask& subtask) { return name == subtask.name; });
    if (found == std::end(kAll)) {
      std::string allowed;
      for (const Subtask& subtask : kAll) {
        allowed += (allowed.empty() ? "" : ", ") + std::string(subtask.name);
      }
      throw std::invalid_argument("tasks_to_complete has '" + name + "'; allowed are " + allowed);
    }
    config.chosen |= 1u << (found - kAll);
  }
  if (config.chosen == 0) throw std::invalid_argument("tasks_to_complete is empty");
  config.model = LoadOwnModel("robotics", "kitchen_franka/kitchen_assets/kitchen_env_model.xml",
                              mjDSBL_SENSOR);
}

EnvSpec<Kitchen::Action, Kitchen::State> Kitchen::Describe(const Config& config) {
  EnvSpec<Action, State> spec = {
      .action = {Array<&Action::speed>("action", Box({kRobotJoints}, {-1}, {1}))}, .state = {}};
  const auto add = [&](const auto& make) {
    for (int k = 0; k < kSubtasks; ++k) {
      if ((config.chosen >> k & 1) != 0) spec.state.push_back(Of(k, make(kAll[k])));
    }
  };
  add([](const Subtask& subtask) {
    return Array<&State::achieved>(std::string("obs:achieved_goal.") + subtask.name,
                                   AnyNumbers(subtask.size));
  });
  add([](const Subtask& subtask) {
    return Array<&State::desired>(std::string("obs:desired_goal.") + subtask.name,
                                  AnyNumbers(subtask.size));
  });
  const int numbers = static_cast<int>(config.model->nq + config.model->nv);
  const Space flags = Box({kSubtasks}, {0}, {1});
  Append(spec.state, {Array<&State::observation>("obs:observation", AnyNumbers(numbers)),
                      Array<&State::to_complete>("info:tasks_to_complete", flags),
                      Array<&State::step_completed>("info:step_task_completions", flags),
                      Array<&State::episode_completed>("info:episode_task_completions", flags)});
  return spec;
}

Kitchen::Kitchen(const Config& config, Rng& rng)
    : config_(config),
      world_(config.model, ReadsOf(config)),
      rng_(rng),
      at_rest_(config.model->nv),
      seen_(config.model->nq + config.model->nv) {}

void Kitchen::See() {
  const mjData& data = world_.data();
  double* next = seen_.data();
  const auto see = [&](const mjtNum* from, size_t n, double ratio, const double* noise) {
    for (size_t i = 0; i < n; ++i) *next++ = from[i] + ratio * noise[i] * rng_.Uniform(-1, 1);
  };
  const mjModel& model = world_.model();
  see(data.qpos, kRobotJoints, config_.robot_noise_ratio, kPositionNoise);
  see(data.qvel, kRobotJoints, config_.robot_noise_ratio, kSpeedNoise);
  // A model has one position more than speeds, and the noise of positions is that of speeds: the
  // reference begins one element earlier.
  see(data.qpos + kRobotJoints, model.nq - kRobotJoints, config_.object_noise_ratio,
      kPositionNoise + kRobotJoints - 1);
  see(data.qvel + kRobotJoints, model.nv - kRobotJoints, config_.object_noise_ratio,
      kSpeedNoise + kRobotJoints);
}

void Kitchen::Reset() {
  world_.Begin(kFirstPositions, at_rest_.data());
  See();
  progress_ = {.left = config_.chosen, .done = 0, .done_now = 0};
}

// The robot moves on from the positions that were seen, so their noise is part of the dynamics.
Simulation& Kitchen::Act(const Action& action) {
  const double dt = world_.model().opt.timestep * Config::frame_skip;  // s
  for (int i = 0; i < kRobotJoints; ++i) {
    const double wanted = Clip(action.speed[i], -1, 1) * kMaxAction;
    const double speed = Clip(wanted, -kSpeedLimit, kSpeedLimit);
    world_.data().ctrl[i] = Clip(seen_[i] + speed * dt, kLow[i], kHigh[i]);
  }
  world_.Hold(Config::frame_skip);
  return world_;
}

Outcome Kitchen::Judge(const Action&) {
  See();
  progress_.done_now = 0;
  for (int k = 0; k < kSubtasks; ++k) {
    const Subtask& subtask = kAll[k];
    if ((progress_.left >> k & 1) == 0) continue;
    const double distance =
        FusedDistance(world_.data().qpos + subtask.first, subtask.goal, subtask.size);
    if (distance < kReached) progress_.done_now |= 1u << k;
  }
  progress_.done |= progress_.done_now;
  if (config_.remove_task_when_completed) progress_.left &= ~progress_.done_now;
  return {.reward = static_cast<double>(std::popcount(progress_.done_now)),
          .terminated = config_.terminate_on_tasks_completed && progress_.done == config_.chosen};
}

void Kitchen::Observe(const State& state) const {
  std::ranges::copy(seen_, state.observation.begin());
  for (int k = 0; k < kSubtasks; ++k) {
    const Subtask& subtask = kAll[k];
    if ((config_.chosen >> k & 1) == 0) continue;
    std::copy_n(world_.data().qpos + subtask.first, subtask.size, (&state.achieved)[k].begin());
    std::copy_n(subtask.goal, subtask.size, (&state.desired)[k].begin());
  }
  WriteBits(progress_.left, state.to_complete);
  WriteBits(progress_.done_now, state.step_completed);
  WriteBits(progress_.done, state.episode_completed);
}

void AddKitchen(const PicturedRegistry& registry) {
  registry.Add<Kitchen>("FrankaKitchen-v1", {.max_episode_steps = 280});
}

}  // namespace parallel_pool::mujoco::robotics
