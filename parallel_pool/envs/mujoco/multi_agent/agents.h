// The agents who share a robot: which controls each one has, and which numbers it observes.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/multi_agent/body_graph.h"

namespace parallel_pool::mujoco::multi_agent {

// The options of all tasks.
struct AgentsConfig {
  std::string agent_conf;
  int agent_obsk = 1;
  Lines local_categories;
  Lines global_categories = {"qpos\nqvel"};

  static Options<AgentsConfig> Describe();
};

class Agents {
 public:
  // Throws std::invalid_argument if an option is not allowed for this robot, such as "Ant".
  Agents(const std::string& robot, const AgentsConfig& config, const mjModel& model);

  int count() const { return static_cast<int>(agents_.size()); }
  // Whether one agent has the whole robot, and observes what Gymnasium's env does.
  bool is_one() const { return is_one_; }
  // The motors that agent i moves, in the order of its action.
  const std::vector<int>& motors(int i) const { return agents_[i].motors; }
  // The numbers that agent i observes, unless is_one().
  const std::vector<Number>& numbers(int i) const { return agents_[i].numbers; }
  int most_motors() const;
  int most_numbers() const;
  // The arrays of mjData that they read after a step.
  unsigned reads() const;

 private:
  struct Agent {
    std::vector<int> motors;
    std::vector<Number> numbers;
  };

  bool is_one_;
  std::vector<Agent> agents_;
};

// The value of a number that an agent observes.
double ValueOf(const Number& number, const mjData& data);

}  // namespace parallel_pool::mujoco::multi_agent
