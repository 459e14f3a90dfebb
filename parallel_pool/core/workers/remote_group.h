// The envs of worker processes, as a group of the pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "parallel_pool/core/workers/called_group.h"
#include "parallel_pool/core/workers/shared_memory.h"

namespace parallel_pool {

// Stands for envs in other processes. Only envs of a dead worker are stepped here: they fail.
class WorkerEnvGroup final : public CalledGroup {
 public:
  WorkerEnvGroup(SharedMemory& memory, int num_envs, EnvCalls& calls)
      : CalledGroup(memory.MakeArray<SharedSeed>(num_envs), num_envs, calls),
        errors_(memory.MakeArray<char>(num_envs * sizeof(Error::text))) {}

  char* errors() const { return errors_; }

  void Step(const int32_t*, const Turn*, int32_t count, std::byte* const*,
            Result* results) noexcept override {
    std::fill_n(results, count, Result{.outcome = {}, .new_world = false, .failed = true});
  }
  void Observe(const int32_t*, int32_t, std::byte* const*, int64_t, Result*) noexcept override {}
  const char* Failure(int32_t env) const override { return errors_ + env * sizeof(Error::text); }

 private:
  char* const errors_;
};

}  // namespace parallel_pool
