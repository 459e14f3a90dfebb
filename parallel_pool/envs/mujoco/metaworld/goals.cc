#include "parallel_pool/envs/mujoco/metaworld/goals.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/metaworld/task.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

constexpr const char* kSelections[] = {"random", "pseudorandom", "fixed", "each"};
constexpr char kVectorDoc[] = "the place of the object, and of the goal where it is drawn apart: ";

bool IsTooNear(const TaskInfo& task, const Vector& vector) {
  if (task.least_distance == 0) return false;
  const double* const other = task.keeps_from == nullptr ? &vector[3] : task.keeps_from;
  const double apart[] = {vector[0] - other[0], vector[1] - other[1]};
  return Norm(apart, 2) < task.least_distance;
}

// From a RandomState or an Rng.
template <class Random>
Vector Draw(const TaskInfo& task, Random& random) {
  Vector vector = {};
  do {
    for (int i = 0; i < task.size; ++i) vector[i] = random.Uniform(task.low[i], task.high[i]);
  } while (IsTooNear(task, vector));
  return vector;
}

void DrawGoals(const TaskInfo& task, RandomState& random, std::array<Vector, kGoals>& goals) {
  for (Vector& goal : goals) {
    Draw(task, random);  // a reset draws twice, and keeps the second one
    goal = Draw(task, random);
  }
}

void CheckVector(const TaskInfo& task, const std::vector<double>& vector) {
  const auto size = static_cast<int>(vector.size());
  if (size == 0 || size == task.size) return;
  throw std::invalid_argument("rand_vec has " + std::to_string(size) + " numbers; it must have " +
                              std::to_string(task.size) + " for " + task.name);
}

}  // namespace

GoalConfig::GoalConfig() : task_select(kSelections[0]) {}

Options<GoalConfig> GoalConfig::Describe() {
  return {
      Option<&GoalConfig::task_select>(
          "task_select",
          "the vector of an episode: one of 50 at \"random\"; all of them in turn, each time in "
          "another order (\"pseudorandom\"); the first one (\"fixed\"); a new one (\"each\")",
          OneOf(kSelections)),
      Option<&GoalConfig::sample_tasks_on_reset>(
          "sample_tasks_on_reset",
          "each episode chooses a vector; False: only reset(options={\"sample_tasks\": True})"),
      Option<&GoalConfig::goal_seed>(
          "goal_seed", "the seed from which the 50 vectors are drawn; -1: that of the env",
          {.min = -1}),
      Option<&GoalConfig::num_goals>("num_goals", "of the 50 vectors, the first so many",
                                     {.min = 1, .max = kGoals}),
      Option<&GoalConfig::goal_share>(
          "goal_share", "(i, n): of these the vectors i, i + n, i + 2 n, and so on", {.min = 0}),
      Option<&GoalConfig::goals_after>(
          "goals_after", "tasks whose 50 vectors are drawn first, as in a benchmark of several"),
      Option<&GoalConfig::rand_vec>("rand_vec",
                                    std::string(kVectorDoc) + "that of all episodes; (): drawn")};
}

void GoalConfig::Complete(const TaskInfo& task) {
  CheckVector(task, rand_vec);
  const auto [part, parts] = goal_share;
  if (part != std::floor(part) || parts != std::floor(parts) || part >= parts ||
      part >= num_goals) {
    std::ostringstream message;
    message << "goal_share is (" << part << ", " << parts << "); it must be two integers (i, n), "
            << "with i below n and below num_goals, " << num_goals;
    throw std::invalid_argument(message.str());
  }
  std::istringstream lines(goals_after.text);
  for (std::string name; std::getline(lines, name);) before.push_back(&FindTask(name).info);
}

Options<GoalResetOptions> GoalResetOptions::Describe() {
  return {Option<&GoalResetOptions::rand_vec>(
              "rand_vec", std::string(kVectorDoc) + "that of the episode; (): as usual"),
          Option<&GoalResetOptions::sample_tasks>(
              "sample_tasks", "chooses a vector also where sample_tasks_on_reset is False")};
}

void Goals::Seed(uint64_t seed) {
  state_ = {};
  state_.current = -1;
  RandomState random(config_.goal_seed < 0 ? seed : static_cast<uint64_t>(config_.goal_seed));
  std::array<Vector, kGoals> goals;
  for (const TaskInfo* const task : config_.before) DrawGoals(*task, random, goals);
  DrawGoals(task_, random, goals);
  const auto [part, parts] = config_.goal_share;
  for (auto i = static_cast<int>(part); i < config_.num_goals; i += static_cast<int>(parts)) {
    state_.order[state_.size] = state_.size;
    state_.goals[state_.size++] = goals[i];
  }
}

void Goals::Begin(const GoalResetOptions& options) {
  CheckVector(task_, options.rand_vec);
  if (!options.rand_vec.empty()) {
    Take(options.rand_vec);
  } else if (!config_.rand_vec.empty()) {
    Take(config_.rand_vec);
  } else if (config_.sample_tasks_on_reset || options.sample_tasks || !state_.has_vector) {
    Choose();
  } else {
    state_.first = state_.vector;
  }
  state_.has_vector = true;
}

void Goals::Take(std::span<const double> vector) {
  state_.vector = {};
  std::ranges::copy(vector, state_.vector.begin());
  state_.first = state_.vector;
}

void Goals::Choose() {
  if (config_.task_select == "each") {
    state_.first = Draw(task_, rng_);
    state_.vector = Draw(task_, rng_);
  } else if (config_.task_select == "fixed") {
    Take(state_.goals[0]);
  } else if (config_.task_select == "random") {
    Take(state_.goals[rng_.Integers(0, state_.size)]);
  } else {
    state_.current = (state_.current + 1) % state_.size;
    if (state_.current == 0) rng_.Shuffle(std::span(state_.order).first(state_.size));
    Take(state_.goals[state_.order[state_.current]]);
  }
}

}  // namespace parallel_pool::mujoco::metaworld
