#include "parallel_pool/envs/mujoco/metaworld/env.h"

#include <algorithm>

#include "parallel_pool/envs/mujoco/engine/rows.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

constexpr int kSeen = 18;  // numbers of the robot and of the objects

}  // namespace

// The hand, the gripper, the objects, the same of the step before, and the goal.
MetaWorld::Bounds MetaWorld::BoundsOf(const TaskInfo& task) {
  Bounds bounds;
  for (int i = 0; i < 2; ++i) {
    bounds.low.insert(bounds.low.end(), {-.525, .348, -.0525, -1});
    bounds.high.insert(bounds.high.end(), {.525, 1.025, .7, 1});
    bounds.low.resize(kSeen * (i + 1), -kInf);
    bounds.high.resize(kSeen * (i + 1), kInf);
  }
  bounds.low.insert(bounds.low.end(), task.goal_low, task.goal_low + 3);
  bounds.high.insert(bounds.high.end(), task.goal_high, task.goal_high + 3);
  return bounds;
}

MetaWorld::MetaWorld(const Config& config, Rng& rng)
    : bounds_(BoundsOf(config.task->info)),
      sawyer_(config.task->info, config.model),
      task_(config.task->make(sawyer_)),
      rng_(rng) {}

EnvSpec<MetaWorld::Action, MetaWorld::State> MetaWorld::Describe(const Config& config) {
  const auto [low, high] = BoundsOf(config.task->info);
  return {.action = {Array<&Action::move>("action", Box({4}, {-1}, {1}))},
          .state = {Array<&State::obs>("obs", Box({kNumbers}, low, high)),
                    Array<&State::success>("info:success", AnyNumber()),
                    Array<&State::near_object>("info:near_object", AnyNumber()),
                    Array<&State::grasp_success>("info:grasp_success", AnyNumber()),
                    Array<&State::grasp_reward>("info:grasp_reward", AnyNumber()),
                    Array<&State::in_place_reward>("info:in_place_reward", AnyNumber()),
                    Array<&State::obj_to_target>("info:obj_to_target", AnyNumber()),
                    Array<&State::unscaled_reward>("info:unscaled_reward", AnyNumber())}};
}

void MetaWorld::Reset() {
  sawyer_.episode() = {};
  std::ranges::copy(goals_[rng_.Integers(0, kGoals)], sawyer_.episode().vector);
  task_->Edit();
  sawyer_.ResetHand();
  task_->Begin();
  See(true);
  judged_ = {};
}

void MetaWorld::See(bool is_first) {
  double object[kSeen - 4], *const seen = sawyer_.episode().seen;
  const int size = task_->See(object);
  if (!is_first) std::copy_n(seen, kSeen, obs_.begin() + kSeen);
  sawyer_.See(object, size, seen);
  if (is_first) std::copy_n(seen, kSeen, obs_.begin() + kSeen);
  std::copy_n(seen, kSeen, obs_.begin());
  std::ranges::copy(sawyer_.episode().target, obs_.begin() + 2 * kSeen);
}

Outcome MetaWorld::Judge(const Action& action) {
  sawyer_.world().world().Forward();
  See(false);
  for (int i = 0; i < kNumbers; ++i) obs_[i] = Clip(obs_[i], bounds_.low[i], bounds_.high[i]);
  judged_ = task_->Judge(obs_.data(), action.move.begin());
  return {.reward = judged_.reward.value()};
}

void MetaWorld::Observe(const State& state) const {
  std::ranges::copy(obs_, state.obs.begin());
  *state.success = judged_.success;
  *state.near_object = judged_.near_object;
  *state.grasp_success = judged_.grasp_success;
  *state.grasp_reward = judged_.grasp_reward;
  *state.in_place_reward = judged_.in_place_reward;
  *state.obj_to_target = judged_.obj_to_target;
  *state.unscaled_reward = judged_.reward.value();
}

}  // namespace parallel_pool::mujoco::metaworld
