// A worker process: it steps envs in Python for the pool of another process.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>

#include "parallel_pool/core/binding/python_group.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/workers/worker.h"

namespace parallel_pool {

// When process `pid` ends, ends this process and all of its process group, even in the middle of
// an env's C code.
void EndWith(int pid, int lifeline);

class PythonWorker {
 public:
  PythonWorker(int file, int number, const std::shared_ptr<Setup>& setup,
               const PoolOptions& options, PythonGroup::Helpers helpers);

  PythonGroup& group() { return *group_; }
  // The last observations of an env, if it is wrapped (engine/wrapped.h).
  pybind11::bytes Frames(int env);
  void SetFrames(int env, const std::string& frames);
  std::pair<int, int> envs() const { return {worker_.first_env(), worker_.num_envs()}; }

  // Steps envs. Returns True when a message has come, False when the pool is closed.
  bool Run();
  // The message was answered.
  void EndMessage() { worker_.EndMessage(); }

 private:
  PythonWorker(int file, int number, const std::shared_ptr<Setup>& setup,
               const PoolOptions& options, std::unique_ptr<PythonGroup> group);
  std::unique_ptr<EnvGroup> Wrap(std::unique_ptr<EnvGroup> group, int num_envs);

  const std::shared_ptr<Setup> setup_;
  PythonGroup* const group_;  // the worker's
  EnvGroup* wrapped_;         // the same, or what wraps it
  PoolWorker worker_;
};

}  // namespace parallel_pool
