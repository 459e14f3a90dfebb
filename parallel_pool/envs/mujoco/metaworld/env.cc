#include "parallel_pool/envs/mujoco/metaworld/env.h"

#include <algorithm>

#include "parallel_pool/envs/mujoco/engine/rows.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

constexpr int kSeen = 18;  // numbers of the robot and of the objects
constexpr const char* kRewards[] = {"v1", "v2"};

}  // namespace

Options<MetaWorld::Config> MetaWorld::Describe() {
  Options<Config> options = {
      Option<&Config::observe_goal>("observe_goal",
                                    "observations have the goal; False: zeros in its place"),
      Option<&Config::terminate_on_success>("terminate_on_success",
                                            "an episode ends when info[\"success\"] is 1"),
      Option<&Config::use_one_hot>("use_one_hot",
                                   "num_tasks numbers follow an observation: 1 at task_index"),
      Option<&Config::task_index>("task_index", "the number of the task, for use_one_hot",
                                  {.min = 0}),
      Option<&Config::num_tasks>("num_tasks", "how many tasks there are, for use_one_hot",
                                 {.min = 1, .max = 1000}),
      Option<&Config::reward_function_version>("reward_function_version", "of the rewards: \"v2\"",
                                               OneOf(kRewards))};
  for (const auto& option : GoalConfig::Describe()) options.push_back(option);
  return options;
}

void MetaWorld::Complete(Config& config) {
  const TaskInfo& task = config.task->info;
  config.GoalConfig::Complete(task);
  if (config.reward_function_version != kRewards[1]) {
    throw std::invalid_argument(
        "reward_function_version is 'v1'; only rewards of version 2, \"v2\", are here");
  }
  if (config.task_index >= config.num_tasks) {
    throw std::invalid_argument("task_index is " + std::to_string(config.task_index) +
                                "; it must be below num_tasks, " +
                                std::to_string(config.num_tasks));
  }
  config.model = Sawyer::LoadModel(task.model);
  config.rests = std::make_shared<Rests>();
}

// The hand, the gripper, the objects, the same of the step before, the goal, and the task.
MetaWorld::Bounds MetaWorld::BoundsOf(const Config& config) {
  const TaskInfo& task = config.task->info;
  Bounds bounds;
  for (int i = 0; i < 2; ++i) {
    bounds.low.insert(bounds.low.end(), {-.525, .348, -.0525, -1});
    bounds.high.insert(bounds.high.end(), {.525, 1.025, .7, 1});
    bounds.low.resize(kSeen * (i + 1), -kInf);
    bounds.high.resize(kSeen * (i + 1), kInf);
  }
  if (config.observe_goal) {
    bounds.low.insert(bounds.low.end(), task.goal_low, task.goal_low + 3);
    bounds.high.insert(bounds.high.end(), task.goal_high, task.goal_high + 3);
  }
  const int one_hot = config.use_one_hot ? config.num_tasks : 0;
  bounds.low.resize(kNumbers + one_hot, 0);
  bounds.high.resize(kNumbers, 0);
  bounds.high.resize(kNumbers + one_hot, 1);
  return bounds;
}

MetaWorld::MetaWorld(const Config& config, Rng& rng)
    : bounds_(BoundsOf(config)),
      sawyer_(config.task->info, config.model, config.rests),
      task_(config.task->make(sawyer_)),
      goals_(config.task->info, config, rng),
      observes_goal_(config.observe_goal),
      terminates_(config.terminate_on_success),
      one_hot_(config.use_one_hot ? config.task_index : -1) {}

EnvSpec<MetaWorld::Action, MetaWorld::State> MetaWorld::Describe(const Config& config) {
  const auto [low, high] = BoundsOf(config);
  return {.action = {Array<&Action::move>("action", Box({4}, {-1}, {1}))},
          .state = {Array<&State::obs>("obs", Box({static_cast<int>(low.size())}, low, high)),
                    Array<&State::success>("info:success", AnyNumber()),
                    Array<&State::success_once>("info:success_once", Box({}, {0}, {1})),
                    Array<&State::near_object>("info:near_object", AnyNumber()),
                    Array<&State::grasp_success>("info:grasp_success", AnyNumber()),
                    Array<&State::grasp_reward>("info:grasp_reward", AnyNumber()),
                    Array<&State::in_place_reward>("info:in_place_reward", AnyNumber()),
                    Array<&State::obj_to_target>("info:obj_to_target", AnyNumber()),
                    Array<&State::unscaled_reward>("info:unscaled_reward", AnyNumber())}};
}

void MetaWorld::Reset(const ResetOptions& options) {
  goals_.Begin(options);
  sawyer_.episode() = {};
  std::ranges::copy(goals_.first(), sawyer_.episode().vector);
  task_->Edit();
  sawyer_.ResetHand();
  std::ranges::copy(goals_.vector(), sawyer_.episode().vector);
  task_->Edit();
  task_->Begin();
  See(true);
  sawyer_.MoveSites();
  judged_ = {};
  success_once_ = 0;
}

void MetaWorld::See(bool is_first) {
  double object[kSeen - 4], *const seen = sawyer_.episode().seen;
  const int size = task_->See(object);
  if (!is_first) std::copy_n(seen, kSeen, obs_.begin() + kSeen);
  sawyer_.See(object, size, seen);
  if (is_first) std::copy_n(seen, kSeen, obs_.begin() + kSeen);
  std::copy_n(seen, kSeen, obs_.begin());
  if (observes_goal_) std::ranges::copy(sawyer_.episode().target, obs_.begin() + 2 * kSeen);
}

Outcome MetaWorld::Judge(const Action& action) {
  sawyer_.simulation().MoveFrames();
  See(false);
  for (int i = 0; i < kNumbers; ++i) obs_[i] = Clip(obs_[i], bounds_.low[i], bounds_.high[i]);
  judged_ = task_->Judge(obs_.data(), action.move);
  if (judged_.success == 1) success_once_ = 1;
  return {.reward = judged_.reward.value(), .terminated = terminates_ && judged_.success == 1};
}

void MetaWorld::Observe(const State& state) const {
  std::ranges::copy(obs_, state.obs.begin());
  std::fill(state.obs.begin() + kNumbers, state.obs.end(), 0);
  if (one_hot_ >= 0) state.obs.begin()[kNumbers + one_hot_] = 1;
  *state.success = judged_.success;
  *state.success_once = success_once_;
  *state.near_object = judged_.near_object;
  *state.grasp_success = judged_.grasp_success;
  *state.grasp_reward = judged_.grasp_reward;
  *state.in_place_reward = judged_.in_place_reward;
  *state.obj_to_target = judged_.obj_to_target;
  *state.unscaled_reward = judged_.reward.value();
}

}  // namespace parallel_pool::mujoco::metaworld
