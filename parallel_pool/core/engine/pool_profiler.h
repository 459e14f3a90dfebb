// The profiles of a pool. While one is made, parts that measure stand around the pool's own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/profile.h"
#include "parallel_pool/core/engine/runner.h"

namespace parallel_pool {

class PoolProfiler {
 public:
  // The parts of a pool, which must outlive this object. It replaces `group` and `dispatcher`.
  PoolProfiler(std::unique_ptr<EnvGroup>& group, Runner& runner,
               std::unique_ptr<Dispatcher>& dispatcher)
      : group_(group), runner_(runner), dispatcher_(dispatcher) {}

  // Measures from now on until Stop. None is being made.
  void Start(std::unique_ptr<Profile> profile);
  void Stop();
  std::span<const std::unique_ptr<Profile>> profiles() const { return profiles_; }
  // The one that is being made; nullptr: none is.
  Profile* running() const {
    return profiling_dispatcher_ == nullptr ? nullptr : profiles_.back().get();
  }

 private:
  std::unique_ptr<EnvGroup>& group_;
  Runner& runner_;
  std::unique_ptr<Dispatcher>& dispatcher_;
  // Threads may still be in a part of an old profile, so these live as long as the pool.
  std::vector<std::unique_ptr<Profile>> profiles_;
  std::vector<std::unique_ptr<ProfilingRunner>> profiling_runners_;
  ProfilingGroup* profiling_group_ = nullptr;
  ProfilingDispatcher* profiling_dispatcher_ = nullptr;
};

}  // namespace parallel_pool
