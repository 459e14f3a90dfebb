// Where the envs of a pool live, if not in the pool's own process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "parallel_pool/core/engine/actions.h"
#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/engine/batch_ring.h"
#include "parallel_pool/core/engine/counter.h"
#include "parallel_pool/core/engine/dispatcher.h"
#include "parallel_pool/core/engine/pool_memory.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/engine/runner.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The parts of a pool that the host of its envs needs; lives as long as the pool.
struct PoolView {
  const PoolOptions& options;
  const BatchLayout& layout;
  BatchRing& batches;
  const ActionStore& actions;
  EnvState* states;
  Episode* episodes;  // nullptr: none are recorded
  EnvGroup& group;
};

// How often an env was stepped and reset so far, and the time that took.
struct EnvTimes {
  Counter steps, step_ns, resets, reset_ns;

  void Add(bool is_reset, int64_t ns) {
    (is_reset ? resets : steps).Add(1);
    (is_reset ? reset_ns : step_ns).Add(ns);
  }
};

class PoolHost {
 public:
  virtual ~PoolHost() = default;
  // Where the pool shall have its arrays.
  virtual std::shared_ptr<PoolMemory> memory() = 0;
  // Stands for the envs; the pool calls it for all but their steps.
  virtual std::unique_ptr<EnvGroup> MakeGroup() = 0;
  // The pool is there: from now on it sends tickets.
  virtual std::unique_ptr<Dispatcher> Start(const PoolView& parts) = 0;
  // The times of each env.
  virtual std::span<const EnvTimes> times() const = 0;
};

}  // namespace parallel_pool
