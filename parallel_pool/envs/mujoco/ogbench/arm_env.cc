#include "parallel_pool/envs/mujoco/ogbench/arm_env.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include "parallel_pool/core/load_once.h"
#include "parallel_pool/envs/mujoco/engine/advance.h"
#include "parallel_pool/envs/mujoco/engine/models.h"

namespace parallel_pool::mujoco::ogbench {
namespace {

constexpr const char* kSuite = "ogbench/arm";

// The tasks are in the model, as numbers of its own (make_models.py).
std::vector<ArmTask> TasksOf(const mjModel& model) {
  const auto numbers = [&](const std::string& name) {
    const int id = mj_name2id(&model, mjOBJ_NUMERIC, name.c_str());
    const mjtNum* const first = model.numeric_data + model.numeric_adr[id];
    return std::vector<double>(first, first + model.numeric_size[id]);
  };
  std::vector<ArmTask> tasks;
  for (int task = 1; task <= kNumTasks; ++task) {
    const std::string name = "task" + std::to_string(task);
    tasks.push_back({numbers(name + "_init"), numbers(name + "_goal")});
  }
  return tasks;
}

int NumbersOf(const ObjectCounts& counts) {
  return Arm::kNumbers + Objects::NumbersOf(counts);
}

int StepsOf(double control, double physics) {
  const double steps = control / physics, whole = std::rint(steps);
  if (whole >= 1 && std::abs(steps - whole) <= 1e-6) return static_cast<int>(whole);
  std::ostringstream text;
  text << "control_timestep is " << control << ", which is no multiple of physics_timestep, "
       << physics;
  throw std::invalid_argument(text.str());
}

// The numbers of the parts of a state, which task_info has by the names `prefix` + part.
std::vector<double> NumbersOf(const Arrays& info, const ObjectCounts& counts, const char* prefix) {
  const Span<OptionArray> arrays = info.all();
  std::vector<double> numbers;
  for (const TaskPart& part : PartsOf(counts)) {
    const std::string name = std::string(prefix) + part.name;
    const auto* const found =
        std::ranges::find_if(arrays, [&](const OptionArray& array) { return name == array.name; });
    if (found == arrays.end() || found->numbers.size != part.size) {
      throw std::invalid_argument("task_info needs '" + name + "', " + std::to_string(part.size) +
                                  (part.size == 1 ? " number" : " numbers"));
    }
    for (const double number : found->numbers) {
      if (part.is_state && number != 0 && number != 1) {
        throw std::invalid_argument("'" + name + "' of task_info has " + std::to_string(number) +
                                    "; a button's state is 0 or 1");
      }
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace

Options<ArmEnv::ResetOptions> ArmEnv::ResetOptions::Describe() {
  return {
      Option<&ResetOptions::task_id>("task_id", kTaskIdDoc, {.min = 0, .max = kNumTasks}),
      Option<&ResetOptions::task_info>(
          "task_info", "a task of your own: arrays with its first state and its goal; {}: none")};
}

Options<ArmEnv::Config> ArmEnv::Describe() {
  Options<Config> options;
  for (const auto& option : GoalConfig::Describe()) options.push_back(option);
  Append(options,
         {Option<&Config::permute_blocks>("permute_blocks", "each reset permutes the cubes"),
          Option<&Config::visualize_info>(
              "visualize_info", "pictures show targets of cubes, and pale cubes that are there"),
          Option<&Config::physics_timestep>("physics_timestep", "s between steps of the model",
                                            {.min = 1e-5, .max = 1}),
          Option<&Config::control_timestep>("control_timestep", "s between actions",
                                            {.min = 1e-5, .max = 10})});
  return options;
}

void ArmEnv::Complete(Config& config) {
  config.frame_skip = StepsOf(config.control_timestep, config.physics_timestep);
  const double timestep = config.physics_timestep;
  config.model = LoadOwnModel(kSuite, config.file, 0,
                              {.name = "timestep " + std::to_string(timestep),
                               .model = [timestep](mjModel& m) { m.opt.timestep = timestep; },
                               .is_slim = true});
  config.arm = LoadOwnModel(kSuite, "ur5e.xml");
  const ObjectCounts counts(*config.model);
  config.goal_numbers = config.use_oracle_rep ? counts.numbers() : NumbersOf(counts);
  config.tasks = std::make_shared<std::vector<ArmTask>>(TasksOf(*config.model));
}

EnvSpec<ArmEnv::Action, ArmEnv::State> ArmEnv::Describe(const Config& config) {
  const mjModel& model = *config.model;
  const ObjectCounts counts(model);
  const int numbers = NumbersOf(counts);
  const int nq = static_cast<int>(model.nq), nv = static_cast<int>(model.nv);
  const Space joints = AnyNumbers(Arm::kJoints), one = AnyNumbers(1), share = Box({1}, {0}, {1});
  EnvSpec<Action, State> spec = {
      .action = {Array<&Action::move>("action", Box({Arm::kActions}, {-1}, {1}))},
      .state = {Array<&State::obs>("obs", AnyNumbers(numbers)),
                Array<&State::joint_pos>("info:proprio/joint_pos", joints),
                Array<&State::joint_vel>("info:proprio/joint_vel", joints),
                Array<&State::effector_pos>("info:proprio/effector_pos", AnyNumbers(3)),
                Array<&State::effector_yaw>("info:proprio/effector_yaw", one),
                Array<&State::gripper_opening>("info:proprio/gripper_opening", share),
                Array<&State::gripper_vel>("info:proprio/gripper_vel", one),
                Array<&State::gripper_contact>("info:proprio/gripper_contact", share)}};
  for (const auto& array : Objects::Describe(counts)) spec.state.push_back(array);
  Append<ArrayOf<State>>(spec.state,
                         {Array<&State::prev_qpos>("info:prev_qpos", AnyNumbers(nq)),
                          Array<&State::prev_qvel>("info:prev_qvel", AnyNumbers(nv)),
                          Array<&State::qpos>("info:qpos", AnyNumbers(nq)),
                          Array<&State::qvel>("info:qvel", AnyNumbers(nv)),
                          Array<&State::control>("info:control", AnyNumbers(model.nu)),
                          Array<&State::time>("info:time", one),
                          Array<&State::goal>("info:goal", AnyNumbers(config.goal_numbers)),
                          Array<&State::success>("info:success", Box({}, {0}, {1}))});
  return spec;
}

ArmEnv::ArmEnv(const Config& config, Rng& rng)
    : config_(config),
      world_(config.model, ReadsOf(config)),
      arm_(world_.simulation(), config.arm),
      rng_(rng),
      objects_(world_, rng, config.scene->columns, config.visualize_info),
      goal_(config.goal_numbers),
      prev_qpos_(config.model->nq),
      prev_qvel_(config.model->nv) {}

void ArmEnv::Reset(const ResetOptions& options) {
  const ArmTask task = TaskOf(options);
  mjData& data = world_.simulation().data();
  mj_resetData(&world_.model(), &data);
  world_.simulation().Forward();
  arm_.GoHome();
  std::vector<int> order(objects_.counts().cubes);
  if (config_.permute_blocks) {
    rng_.Permutation(std::span(order));
  } else {
    std::iota(order.begin(), order.end(), 0);
  }
  const std::vector<double> qpos(data.qpos, data.qpos + prev_qpos_.size());
  const std::vector<double> qvel(data.qvel, data.qvel + prev_qvel_.size());

  // The goal's observation is that of a world that has come to rest there.
  arm_.Place(config_.scene->places, rng_);
  objects_.PutAtGoal(task, order);
  for (int step = 0; step < (IsPuzzle() ? 5 : 2); ++step) Settle();
  Row goal(View<double>{goal_.data(), goal_.size()});
  if (config_.use_oracle_rep) {
    objects_.ObserveOracle(goal);
  } else {
    arm_.Observe(goal);
    objects_.Observe(goal);
  }

  std::ranges::copy(qpos, data.qpos);
  std::ranges::copy(qvel, data.qvel);
  arm_.Place(config_.scene->places, rng_);
  objects_.PutAtStart(task, order);
  Remember();
  world_.simulation().Forward();
  Evaluate();
  succeeds_ = succeeded_ = false;
  world_.simulation().Forward();
}

ArmTask ArmEnv::TaskOf(const ResetOptions& options) {
  const Arrays& info = options.task_info;
  if (!config_.HasOneTask() && options.task_id == 0 && info.all().size > 0) {
    const ObjectCounts& counts = objects_.counts();
    return {NumbersOf(info, counts, "init_"), NumbersOf(info, counts, "goal_")};
  }
  return streams_.Choose(*config_.tasks, config_, config_.scene->default_task, options.task_id);
}

void ArmEnv::Settle() {
  std::array<float, Arm::kActions> action;
  streams_.Sample(action.data(), Arm::kActions);
  if (IsPuzzle()) action.back() = 1;  // the gripper closes
  arm_.Act(View<const float>{action.data(), action.size()});
  Remember();
  world_.simulation().Hold(config_.frame_skip);
  AdvanceAlone(world_.simulation());
  Evaluate();
}

void ArmEnv::Remember() {
  const mjData& data = world_.simulation().data();
  std::copy_n(data.qpos, prev_qpos_.size(), prev_qpos_.begin());
  std::copy_n(data.qvel, prev_qvel_.size(), prev_qvel_.begin());
  objects_.Remember();
}

void ArmEnv::Evaluate() {
  objects_.Judge();
  succeeds_ = objects_.succeeded();
}

void ArmEnv::Conclude() {
  succeeded_ = succeeds_;
  reward_ = config_.HasOneTask() ? objects_.num_successes() - objects_.size() : succeeds_;
}

Simulation& ArmEnv::Act(const Action& action) {
  if (config_.IsEarly()) Conclude();
  action.move.Visit([this](auto move) { arm_.Act(move); });
  Remember();
  world_.simulation().Hold(config_.frame_skip);
  return world_.simulation();
}

Outcome ArmEnv::Judge(const Action&) {
  Evaluate();
  if (!config_.IsEarly()) Conclude();
  return {.reward = reward_, .terminated = succeeded_ && config_.terminate_at_goal};
}

void ArmEnv::Observe(const State& state) const {
  const mjData& data = world_.simulation().data();
  const auto nq = static_cast<int>(prev_qpos_.size()), nv = static_cast<int>(prev_qvel_.size());
  Row row(state.obs);
  arm_.Observe(row);
  objects_.Observe(row);
  Row(state.joint_pos).Add(data.qpos, Arm::kJoints);
  Row(state.joint_vel).Add(data.qvel, Arm::kJoints);
  Row(state.effector_pos).Add(arm_.place(), 3);
  *state.effector_yaw = arm_.yaw();
  *state.gripper_opening = arm_.opening();
  *state.gripper_vel = arm_.speed();
  *state.gripper_contact = arm_.touch();
  objects_.Tell(state);
  std::ranges::copy(prev_qpos_, state.prev_qpos.begin());
  std::ranges::copy(prev_qvel_, state.prev_qvel.begin());
  Row(state.qpos).Add(data.qpos, nq);
  Row(state.qvel).Add(data.qvel, nv);
  Row(state.control).Add(data.ctrl, static_cast<int>(world_.model().nu));
  *state.time = data.time;
  std::ranges::copy(goal_, state.goal.begin());
  *state.success = succeeded_;
}

}  // namespace parallel_pool::mujoco::ogbench
