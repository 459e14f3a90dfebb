// For tests: plays envs in lanes next to mj_step, and compares all numbers by ==.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/model.h"
#include "parallel_pool/envs/mujoco/lanes/stepper.h"

namespace parallel_pool::mujoco::lanes {

struct Play {
  int lanes = 4;
  int steps = 300;
  uint64_t seed = 1;
  bool is_wild = false;       // throws in NaN and numbers that libmujoco resets
  bool is_bang_bang = false;  // actions are at the ends of their ranges
  bool reads_least = false;   // only what the end of a step depends on is computed
  // Changes the state of an env in lanes, so that a comparison can be seen to fail.
  std::function<void(mjData&)> plant = {};
};

struct Comparison {
  int64_t numbers = 0, different = 0;
  int64_t retreats = 0;  // steps that were left to libmujoco
  int64_t contacts = 0, rows = 0, iterations = 0;
  std::string first;  // the first difference
};

// Plays episodes with random actions and resets: `flat` in lanes, `model` by mj_step.
Comparison Compare(const Model& model, const StepModel& flat, Stepper& stepper, const Play& play);

// Changes first positions so that Fetch's robot stands at its table, and can reach the object.
// Positions of other models stay.
void PlaceFetch(const mjModel& model, std::vector<double>& qpos);

// A model of Gymnasium's or of dm_control's, such as gym/ant.
Model TaskModel(const std::string& name);

}  // namespace parallel_pool::mujoco::lanes
