// Envs in Python that the pool's own process steps.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parallel_pool/core/binding/python_group.h"
#include "parallel_pool/core/engine/pool_host.h"
#include "parallel_pool/core/workers/processes.h"

namespace parallel_pool {

// The thread that receives steps the envs, one after another, in the order sent. So a debugger, a
// profiler and Ctrl-C find the env's code in the user's own thread.
class LocalEnvs final : public PoolHost {
 public:
  LocalEnvs(std::shared_ptr<const Setup> setup, int num_envs, PythonGroup::Helpers helpers,
            std::shared_ptr<EnvCalls> calls);

  std::shared_ptr<PoolMemory> memory() override { return nullptr; }
  std::unique_ptr<EnvGroup> MakeGroup() override;
  std::unique_ptr<Dispatcher> Start(const PoolView& parts) override;
  std::span<const EnvTimes> times() const override { return times_; }

  PythonGroup& group() { return *group_; }

 private:
  const std::shared_ptr<const Setup> setup_;
  const int num_envs_;
  const std::shared_ptr<PythonGroup> group_;
  const std::shared_ptr<EnvCalls> calls_;
  std::vector<EnvTimes> times_;
};

}  // namespace parallel_pool
