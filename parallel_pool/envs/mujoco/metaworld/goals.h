// The goals of MetaWorld's benchmarks: 50 for each task.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/random_state.h"
#include "parallel_pool/envs/mujoco/metaworld/sawyer.h"

namespace parallel_pool::mujoco::metaworld {

inline constexpr int kGoals = 50;

// A vector places the object and the goal of an episode; a task of 3 numbers leaves the rest 0.
using Vector = std::array<double, 6>;

// Which vectors the episodes of an env have.
struct GoalConfig {
  std::string task_select;
  bool sample_tasks_on_reset = true;
  int64_t goal_seed = -1;
  int num_goals = kGoals;
  Numbers<2> goal_share = {0, 1};
  Lines goals_after;
  std::vector<double> rand_vec;
  std::vector<const TaskInfo*> before = {};  // the tasks of goals_after

  GoalConfig();
  static Options<GoalConfig> Describe();
  // Throws std::invalid_argument if an option is not allowed.
  void Complete(const TaskInfo& task);
};

// The options of a reset.
struct GoalResetOptions {
  std::vector<double> rand_vec;
  bool sample_tasks = false;

  static Options<GoalResetOptions> Describe();
};

// The goals of an env, and the one that it has.
class Goals {
 public:
  Goals(const TaskInfo& task, const GoalConfig& config, Rng& rng)
      : task_(task), config_(config), rng_(rng) {}

  // Draws the goals of the benchmark, as metaworld.MT1(task, seed) does.
  void Seed(uint64_t seed);
  // Chooses the vector of the next episode. The reference begins an episode twice: the first time
  // with `first`, which differs from `vector` where each episode draws its own.
  void Begin(const GoalResetOptions& options);
  const Vector& first() const { return state_.first; }
  const Vector& vector() const { return state_.vector; }

  // To be saved.
  struct State {
    Vector first, vector;
    std::array<Vector, kGoals> goals;
    std::array<int, kGoals> order;  // of `goals`, for "pseudorandom"
    int size, current;              // of `goals` and `order`; -1: before the first one
    bool has_vector;
  };
  State& state() { return state_; }

 private:
  void Take(std::span<const double> vector);
  void Choose();

  const TaskInfo& task_;
  const GoalConfig config_;
  Rng& rng_;
  State state_ = {};
};

}  // namespace parallel_pool::mujoco::metaworld
