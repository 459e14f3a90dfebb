// Makes pools of the envs for tests.
#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/errors.h"
#include "parallel_pool/core/engine/family.h"
#include "parallel_pool/core/engine/pool.h"

namespace parallel_pool::testing {

// Task number `task_index` of testing/family.cc, with its first option set.
inline std::shared_ptr<const Setup> MakeSetup(int task_index, int64_t first_option) {
  const Task& task = *LoadFamily("parallel_pool/core/testing/_family.so").tasks[task_index];
  OptionSpecs specs;
  Error error;
  if (!task.GetOptions(&specs, &error)) Throw(task.spec().id, error);
  std::vector<OptionValue> values;
  for (const OptionSpec& o : specs.options) values.push_back(o.initial);
  values[0].integer = first_option;
  std::shared_ptr<const Setup> setup(
      task.Configure(Span<OptionValue>::Of(values), nullptr, &error));
  if (!setup) Throw(task.spec().id, error);
  return setup;
}

// Env i has seed 7 + i.
inline PoolOptions WithSeeds(PoolOptions options) {
  options.seeds.resize(options.num_envs);
  std::iota(options.seeds.begin(), options.seeds.end(), 7);
  return options;
}

// All envs of a pool.
inline std::vector<int32_t> All(int num_envs) {
  std::vector<int32_t> all(num_envs);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// A pool of such a task.
inline std::unique_ptr<Pool> MakePool(int task_index, int64_t first_option, PoolOptions options) {
  return std::make_unique<Pool>(MakeSetup(task_index, first_option), WithSeeds(std::move(options)));
}

}  // namespace parallel_pool::testing
