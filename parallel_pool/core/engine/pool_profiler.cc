#include "parallel_pool/core/engine/pool_profiler.h"

#include <utility>

namespace parallel_pool {

void PoolProfiler::Start(std::unique_ptr<Profile> made) {
  Profile& profile = *profiles_.emplace_back(std::move(made));
  if (profiling_group_ == nullptr) {
    auto group = std::make_unique<ProfilingGroup>(std::move(group_));
    profiling_group_ = group.get();
    group_ = std::move(group);
  }
  runner_.SetGroup(*profiling_group_);
  dispatcher_->SetRunner(
      *profiling_runners_.emplace_back(std::make_unique<ProfilingRunner>(runner_, profile)));
  auto dispatcher = std::make_unique<ProfilingDispatcher>(std::move(dispatcher_), profile);
  profiling_dispatcher_ = dispatcher.get();
  dispatcher_ = std::move(dispatcher);
}

void PoolProfiler::Stop() {
  if (profiling_dispatcher_ == nullptr) return;
  running()->End();
  dispatcher_ = profiling_dispatcher_->Take();
  profiling_dispatcher_ = nullptr;
  dispatcher_->SetRunner(runner_);
  runner_.SetGroup(*profiling_group_->inner());
}

}  // namespace parallel_pool
